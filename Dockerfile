# docker build -t xtest . && docker run --rm -v "$PWD:/work" xtest run suite -- ./prog
# Programs run as an ordinary user. For a private folder for each run, add --security-opt
# seccomp=unconfined and --security-opt apparmor=unconfined; for --sandbox=bwrap, which mounts a
# /proc of its own, --security-opt systempaths=unconfined, too; --sandbox=landlock needs nothing
# more. `xtest doctor` says what the container has.
FROM python:3.13-slim AS build
WORKDIR /source
COPY . .
RUN pip wheel --no-cache-dir --no-deps --wheel-dir /wheels .

FROM python:3.13-slim
RUN apt-get update \
    && apt-get install --yes --no-install-recommends bubblewrap git \
    && rm -rf /var/lib/apt/lists/*
COPY --from=build /wheels /wheels
RUN pip install --no-cache-dir /wheels/*.whl \
    && rm -r /wheels \
    && useradd --create-home --uid 1000 xtest
USER xtest
WORKDIR /work
ENTRYPOINT ["xtest"]
CMD ["--help"]
