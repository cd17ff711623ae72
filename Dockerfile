# polyprobe on processors, with the address of PyTorch's CPU builds as pip's further index:
#   docker build --build-arg PIP_EXTRA_INDEX_URL=<address> -t polyprobe .
#   docker run --user "$(id -u):$(id -g)" -v "$PWD:/work" polyprobe probe lang=mini
# Without the argument pip installs the default build of torch, which brings CUDA: it works as well, and is some GB larger.
FROM python:3.11-slim
RUN useradd --create-home polyprobe && chmod 1777 /home/polyprobe && mkdir --mode=1777 /work
ARG PIP_EXTRA_INDEX_URL
COPY requirements.txt requirements.lock /polyprobe/
RUN pip install --no-cache-dir --no-deps --require-hashes -r /polyprobe/requirements.lock \
    && pip install --no-cache-dir -r /polyprobe/requirements.txt
COPY . /polyprobe
RUN pip install --no-cache-dir --no-deps /polyprobe
USER polyprobe
ENV HOME=/home/polyprobe
WORKDIR /work
ENTRYPOINT ["polyprobe"]
