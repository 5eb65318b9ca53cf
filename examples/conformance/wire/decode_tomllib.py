import tomllib

from tagged import main

main(tomllib.loads)
