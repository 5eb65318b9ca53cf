"""A client of the game: client.py PORT"""

import json
import socket
import sys

with socket.create_connection(("127.0.0.1", int(sys.argv[1]))) as connection:
    with connection.makefile("rw") as file:
        print('{"play": 7}', file=file, flush=True)
        for line in file:
            match json.loads(line):
                case {"winner": _}:
                    sys.exit(0)
                case {"counters": counters}:
                    message = {"take": counters % 4 or 1}
                    print(json.dumps(message), file=file, flush=True)
                case other:
                    sys.exit(f"refused: {other}")
sys.exit("the server has disappeared")
