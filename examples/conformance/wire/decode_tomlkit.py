import tomlkit
from tagged import main

main(lambda text: tomlkit.parse(text).unwrap())
