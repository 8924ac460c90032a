import { createHash } from 'node:crypto'
import { expect } from 'chai'
import {
  amzDate,
  authorization,
  canonicalQuery,
  encodeStrictly,
  presignedQuery,
  type SignedParts,
  type Signer,
} from './signature.ts'

const sha256 = (text: string) => createHash('sha256').update(text).digest('hex')
const NOTHING = sha256('')

/** AWS's Signature Version 4 test suite. */
const SUITE: Signer = {
  accessKeyId: 'AKIDEXAMPLE',
  secretAccessKey: 'wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY',
  region: 'us-east-1',
  service: 'service',
}
const SUITE_TIME = new Date('2015-08-30T12:36:00Z')
/** Amazon S3 API Reference, "Signature Calculations for the Authorization Header". */
const S3: Signer = {
  accessKeyId: 'AKIAIOSFODNN7EXAMPLE',
  secretAccessKey: 'wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY',
  region: 'us-east-1',
  service: 's3',
}
const S3_TIME = new Date('2013-05-24T00:00:00Z')
const UNRESERVED = '-._~0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'

type Case = {
  readonly name: string
  readonly signer: Signer
  readonly at: Date
  readonly parts: SignedParts
  readonly names: string
  readonly signature: string
}

function ofSuite(name: string, parts: Partial<SignedParts>, signature: string, names = 'host;x-amz-date'): Case {
  const headers = { host: 'example.amazonaws.com', 'x-amz-date': '20150830T123600Z', ...parts.headers }
  const whole = { method: 'GET', path: '/', query: [], payloadHash: NOTHING, ...parts, headers }
  return { name, signer: SUITE, at: SUITE_TIME, parts: whole, names, signature }
}

function ofS3(name: string, parts: Partial<SignedParts>, signature: string, names: string): Case {
  const payloadHash = parts.payloadHash ?? NOTHING
  const headers = {
    host: 'examplebucket.s3.amazonaws.com',
    'x-amz-date': '20130524T000000Z',
    'x-amz-content-sha256': payloadHash,
    ...parts.headers,
  }
  const whole = { method: 'GET', path: '/', query: [], ...parts, payloadHash, headers }
  return { name, signer: S3, at: S3_TIME, parts: whole, names, signature }
}

const CASES: readonly Case[] = [
  ofSuite('get-vanilla', {}, '5fa00fa31553b73ebf1942676e86291e8372ff2a2260956d9b8aae1d763fbf31'),
  ofSuite('post-vanilla', { method: 'POST' }, '5da7c1a2acd57cee7505fc6676e4e544621c30862966e37dddb68e92efbe5d6b'),
  ofSuite(
    'get-unreserved',
    { path: `/${UNRESERVED}` },
    '07ef7494c76fa4850883e2b006601f940f8a34d404d0cfa977f52a65bbf5f24f',
  ),
  ofSuite(
    'get-vanilla-query-order-key-case',
    {
      query: [
        ['Param2', 'value2'],
        ['Param1', 'value1'],
      ],
    },
    'b97d918cfa904a5beff61c982a1b6f458b799221646efd99d3219ec94cdf2500',
  ),
  ofSuite(
    'get-vanilla-query-order-value',
    {
      query: [
        ['Param1', 'value2'],
        ['Param1', 'value1'],
      ],
    },
    '5772eed61e12b33fae39ee5e7012498b51d56abc0abb7c60486157bd471c4694',
  ),
  ofSuite(
    'get-vanilla-query-unreserved',
    { query: [[UNRESERVED, UNRESERVED]] },
    '9c3e54bfcdf0b19771a7f523ee5669cdf59bc7cc0884027167c21bb143a40197',
  ),
  ofSuite(
    'get-vanilla-utf8-query',
    { query: [['ሴ', 'bar']] },
    '2cdec8eed098649ff3a119c94853b13c643bcf08f8b0a1d91e12c9027818dd04',
  ),
  ofSuite(
    'post-header-value-case',
    { method: 'POST', headers: { 'my-header1': 'VALUE1' } },
    'cdbc9802e29d2942e5e10b5bccfdd67c5f22c7c4e8ae67b53629efa58b974b7d',
    'host;my-header1;x-amz-date',
  ),
  ofSuite(
    'get-header-value-trim',
    { headers: { 'my-header1': ' value1', 'my-header2': ' "a   b   c"' } },
    'acc3ed3afb60bb290fc8d2dd0098b9911fcaa05412b367055dee359757a9c736',
    'host;my-header1;my-header2;x-amz-date',
  ),
  ofS3(
    'GET Object',
    { path: '/test.txt', headers: { range: 'bytes=0-9' } },
    'f0e8bdb87c964420e857bd35b5d6ed310bd44f0170aba48dd91039c6036bdb41',
    'host;range;x-amz-content-sha256;x-amz-date',
  ),
  ofS3(
    'PUT Object',
    {
      method: 'PUT',
      path: '/test%24file.text',
      headers: { date: 'Fri, 24 May 2013 00:00:00 GMT', 'x-amz-storage-class': 'REDUCED_REDUNDANCY' },
      payloadHash: sha256('Welcome to Amazon S3.'),
    },
    '98ad721746da40c64f1a55b78f14c238d841ea1380cd77a1b5971af0ece108bd',
    'date;host;x-amz-content-sha256;x-amz-date;x-amz-storage-class',
  ),
  ofS3(
    'GET Bucket Lifecycle',
    { query: [['lifecycle', '']] },
    'fea454ca298b7da1c68078a5d1bdbfbbe0d65c699e0f91ac7a200a0136783543',
    'host;x-amz-content-sha256;x-amz-date',
  ),
  ofS3(
    'GET Bucket (List Objects)',
    {
      query: [
        ['prefix', 'J'],
        ['max-keys', '2'],
      ],
    },
    '34b48302e7b5fa45bde8084f4b7868a86f0a534bc59db6670ed5711ef69dc6f7',
    'host;x-amz-content-sha256;x-amz-date',
  ),
]

describe('Signature Version 4', () => {
  for (const { name, signer, at, parts, names, signature } of CASES) {
    it(`signs as AWS has published: ${name}`, () => {
      const scope = `${amzDate(at).slice(0, 8)}/us-east-1/${signer.service}/aws4_request`
      expect(authorization(parts, signer, at)).to.equal(
        `AWS4-HMAC-SHA256 Credential=${signer.accessKeyId}/${scope}, SignedHeaders=${names}, Signature=${signature}`,
      )
    })
  }

  it('signs an address as AWS has published', () => {
    const headers = { host: 'examplebucket.s3.amazonaws.com' }
    const parts = { method: 'GET', path: '/test.txt', query: [], headers, payloadHash: 'UNSIGNED-PAYLOAD' }
    expect(presignedQuery(parts, S3, S3_TIME, 86_400)).to.equal(
      'X-Amz-Algorithm=AWS4-HMAC-SHA256&X-Amz-Credential=AKIAIOSFODNN7EXAMPLE%2F20130524%2Fus-east-1%2Fs3%2Faws4_request' +
        '&X-Amz-Date=20130524T000000Z&X-Amz-Expires=86400&X-Amz-SignedHeaders=host' +
        '&X-Amz-Signature=aeeed9bbccd4d02ee5c0109b86d86835f995330da4c265957d157751f604d404',
    )
  })

  it('encodes all but the unreserved characters', () => {
    expect(encodeStrictly(UNRESERVED)).to.equal(UNRESERVED)
    expect(encodeStrictly("a b+c%!'()*/ü")).to.equal('a%20b%2Bc%25%21%27%28%29%2A%2F%C3%BC')
    expect(
      canonicalQuery([
        ['b', ''],
        ['a', '&='],
        ['a', '!'],
      ]),
    ).to.equal('a=%21&a=%26%3D&b=')
  })
})
