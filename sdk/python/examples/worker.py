from longshore import Worker

worker = Worker(concurrency=4)


@worker.handler("GREET")
def greet(job):
    return {"greeting": f"Hello, {job.payload['name']}!"}


worker.run()
