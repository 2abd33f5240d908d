from longshore import Client, JobFailed

client = Client()
job = client.enqueue("GREET", {"name": "Ada"}, priority=0, max_retries=5)
try:
    print(client.result(job.job_id, timeout=60)["greeting"])
except JobFailed as failure:
    print(failure.code, failure.message)
