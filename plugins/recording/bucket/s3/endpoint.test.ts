import { expect } from 'chai'
import { StorageError } from '../storage-error.ts'
import { S3Endpoint } from './endpoint.ts'

const BASE = { endpoint: '', region: 'us-east-1', bucket: 'files', pathprefix: '', forcepathstyle: false, usessl: true }
const at = (changes: Partial<typeof BASE>) => new S3Endpoint({ ...BASE, ...changes })

/** The address of the object `a` by a config. */
const CASES: readonly (readonly [Partial<typeof BASE>, string])[] = [
  [{}, 'https://files.s3.us-east-1.amazonaws.com/a'],
  [{ region: 'eu-central-1', forcepathstyle: true }, 'https://s3.eu-central-1.amazonaws.com/files/a'],
  [{ endpoint: 's3.example.com' }, 'https://files.s3.example.com/a'],
  [{ endpoint: 's3.example.com:9000', usessl: false }, 'http://files.s3.example.com:9000/a'],
  [{ endpoint: 's3.example.com:443' }, 'https://files.s3.example.com/a'],
  [{ endpoint: 'http://s3.example.com/' }, 'http://files.s3.example.com/a'],
  [{ endpoint: 'HTTPS://s3.example.com', usessl: false }, 'https://files.s3.example.com/a'],
  [{ endpoint: 's3.example.com', bucket: 'my.files' }, 'https://s3.example.com/my.files/a'],
  [{ endpoint: 's3.example.com', bucket: 'My_files' }, 'https://s3.example.com/My_files/a'],
  [{ endpoint: 'minio:9000', usessl: false }, 'http://minio:9000/files/a'],
  [{ endpoint: '10.0.0.1:9000' }, 'https://10.0.0.1:9000/files/a'],
  [{ endpoint: '[fd00::1]:9000' }, 'https://[fd00::1]:9000/files/a'],
  [{ endpoint: 'http://[::1]' }, 'http://[::1]/files/a'],
  [{ pathprefix: 'records' }, 'https://files.s3.us-east-1.amazonaws.com/records/a'],
  [{ pathprefix: '/my records/2026//' }, 'https://files.s3.us-east-1.amazonaws.com/my%20records/2026/a'],
]

describe('the endpoint of S3', () => {
  for (const [changes, address] of CASES) {
    it(`is ${address} by ${JSON.stringify(changes)}`, () => {
      const endpoint = at(changes)
      expect(endpoint.origin + endpoint.path('a')).to.equal(address)
      expect(endpoint.host).to.equal(new URL(address).host)
    })
  }

  it('is refused where the config is wrong, by the name of the key', () => {
    const cases = [
      ...[
        's3.example.com/path',
        'https://user:password@s3.example.com',
        'ftp://s3.example.com',
        'a b',
        '::1',
        'host?a',
      ].map((endpoint) => [{ endpoint }, 'endpoint'] as const),
      ...['', '..', 'a/b', 'a b', 'a?b', 'ü'].map((bucket) => [{ bucket }, 'bucket'] as const),
      [{ pathprefix: 'a/../b' }, 'pathprefix'] as const,
    ]
    for (const [changes, key] of cases) {
      expect(() => at(changes), JSON.stringify(changes)).to.throw(StorageError, `a wrong ${key}: `)
    }
  })

  it('has paths for keys of any characters, and none that lead elsewhere', () => {
    const endpoint = at({ endpoint: '10.0.0.1' })
    expect(endpoint.path()).to.equal('/files')
    expect(at({}).path()).to.equal('/')
    expect(endpoint.path("a b/c+d%20/é'()*!~.mp4")).to.equal('/files/a%20b/c%2Bd%2520/%C3%A9%27%28%29%2A%21~.mp4')
    expect(endpoint.path('a//b/')).to.equal('/files/a//b/')
    expect(endpoint.path(`/${'x'.repeat(1023)}`)).to.have.length('/files/'.length + 1024)
    for (const key of ['', '.', '..', 'a/../b', './a', 'a/..', '\ud800', 'x'.repeat(1025)]) {
      expect(() => endpoint.path(key), key).to.throw(StorageError)
    }
  })
})
