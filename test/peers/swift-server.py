"""
OpenStack Swift with its S3 API in one process, with one device and one replica, in a folder that is given.
It writes "ready PORT" to standard error once it serves.
"""
import array
import os
import sys

import eventlet

eventlet.patcher.monkey_patch()

from eventlet import wsgi  # noqa: E402
from swift.common import utils  # noqa: E402
from swift.common.ring import RingData  # noqa: E402
from swift.common.wsgi import loadapp  # noqa: E402

DEVICE = 'disk'
# All keys are in one partition.
PART_SHIFT = 32

PROXY = """
[pipeline:main]
pipeline = catch_errors gatekeeper s3api tempauth bulk slo proxy-server
[filter:catch_errors]
use = egg:swift#catch_errors
[filter:gatekeeper]
use = egg:swift#gatekeeper
[filter:s3api]
use = egg:swift#s3api
location = {region}
storage_domain = {domain}
max_upload_part_num = 10000
max_bucket_listing = 10
[filter:tempauth]
use = egg:swift#tempauth
user_{account}_{user} = {secret} .admin
[filter:bulk]
use = egg:swift#bulk
[filter:slo]
use = egg:swift#slo
[app:proxy-server]
use = egg:swift#proxy
account_autocreate = true
swift_dir = {folder}
"""

STORE = """
[app:main]
use = egg:swift#{kind}
devices = {folder}
mount_check = false
swift_dir = {folder}
"""


class Cache:
    """Stands in for memcached, which the proxy asks for; nothing in it expires while a test runs."""

    def __init__(self):
        self.values = {}

    def get(self, key, raise_on_error=False):
        return self.values.get(key)

    def set(self, key, value, **_options):
        self.values[key] = value

    def incr(self, key, delta=1, time=0):
        self.values[key] = self.values.get(key, 0) + delta
        return self.values[key]

    def delete(self, key, server_key=None):
        self.values.pop(key, None)


def with_cache(app):
    cache = Cache()

    def call(environ, start_response):
        environ['swift.cache'] = cache
        return app(environ, start_response)
    return call


def write(folder, name, text):
    path = os.path.join(folder, name)
    with open(path, 'w') as file:
        file.write(text)
    return path


def listen():
    return eventlet.listen(('127.0.0.1', 0))


def serve(listener, app):
    def run():
        wsgi.server(listener, app, log_output=False, debug=False)
    eventlet.spawn(run)


def main(folder, access_key, secret, region, domain):
    account, user = access_key.split(':')
    os.mkdir(os.path.join(folder, DEVICE))
    write(folder, 'swift.conf', '[swift-hash]\nswift_hash_path_suffix = tests\n[storage-policy:0]\nname = one\ndefault = yes\n')
    utils.set_swift_dir(folder)
    utils.validate_hash_conf()
    for kind in ('account', 'container', 'object'):
        listener = listen()
        ip, port = listener.getsockname()
        device = {'id': 0, 'device': DEVICE, 'region': 1, 'zone': 1, 'weight': 1.0, 'ip': ip, 'port': port,
                  'replication_ip': ip, 'replication_port': port, 'meta': ''}
        RingData([array.array('H', [0])], [device], PART_SHIFT).save(os.path.join(folder, kind + '.ring.gz'))
        serve(listener, loadapp(write(folder, kind + '.conf', STORE.format(kind=kind, folder=folder))))
    text = PROXY.format(account=account, user=user, secret=secret, region=region, domain=domain, folder=folder)
    listener = listen()
    serve(listener, with_cache(loadapp(write(folder, 'proxy.conf', text))))
    sys.stderr.write('ready %d\n' % listener.getsockname()[1])
    sys.stderr.flush()
    eventlet.event.Event().wait()


main(*sys.argv[1:])
