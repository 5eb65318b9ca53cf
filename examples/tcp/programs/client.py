"""A client of the game, which prints the winner: client.py PORT [HEAP], or the heap as input."""

import json
import socket
import sys

HEAP = int(sys.argv[2]) if len(sys.argv) > 2 else json.loads(sys.stdin.read() or "7")

with socket.create_connection(("127.0.0.1", int(sys.argv[1]))) as connection:
    with connection.makefile("rw") as file:
        print(json.dumps({"play": HEAP}), file=file, flush=True)
        for line in file:
            match json.loads(line):
                case {"winner": winner}:
                    print(json.dumps("client" if winner == "you" else winner))
                    sys.exit(0)
                case {"counters": counters}:
                    message = {"take": counters % 4 or 1}
                    print(json.dumps(message), file=file, flush=True)
                case other:
                    sys.exit(f"refused: {other}")
sys.exit("the server has disappeared")
