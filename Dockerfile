# polyprobe on processors: docker build -t polyprobe . && docker run -v "$PWD:/work" polyprobe probe lang=mini
FROM python:3.11-slim
COPY requirements.txt /polyprobe/
RUN pip install --no-cache-dir -r /polyprobe/requirements.txt
COPY . /polyprobe
RUN pip install --no-cache-dir --no-deps /polyprobe
WORKDIR /work
ENTRYPOINT ["polyprobe"]
