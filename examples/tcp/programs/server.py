"""A server of the game, for one client after another: server.py PORT

If its input is a number of games, it prints their heaps and winners, and ends.
"""

import json
import socket
import sys


def is_count(value, most):
    return isinstance(value, int) and value is not True and 1 <= value <= most


def play(lines, send):
    """Play one game with the client that sends these lines; return its heap and winner."""
    counters = 0
    for line in lines:
        try:
            message = json.loads(line)
        except ValueError:
            message = None
        match message:
            case {"play": heap} if not counters and is_count(heap, 100):
                size = counters = heap
                send(counters=counters)
            case {"take": taken} if counters and is_count(taken, min(3, counters)):
                counters -= taken
                if not counters:
                    send(winner="you")
                    return size, "client"
                took = counters % 4 or 1
                counters -= took
                if not counters:
                    send(took=took, winner="server")
                    return size, "server"
                send(took=took, counters=counters)
            case _:
                send(error="not allowed now")
    return None


games, played = sys.stdin.read(), []
with socket.create_server(("127.0.0.1", int(sys.argv[1]))) as server:
    while not games or len(played) < int(games):
        connection, _ = server.accept()
        with connection, connection.makefile("rw") as file:
            game = play(file, lambda **message: print(json.dumps(message), file=file, flush=True))
            played.append(game)
print(json.dumps(sorted(filter(None, played))))
