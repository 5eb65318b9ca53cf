"""Running subjects: the one package that starts processes. Jobs in, transcripts out.

What a program does wrong is in the transcript; nothing here judges. See `loop.run`.
"""
