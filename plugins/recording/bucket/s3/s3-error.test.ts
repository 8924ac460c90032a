import { expect } from 'chai'
import { hiddenError, s3Error, type S3Failure } from './s3-error.ts'

const NOW_MS = Date.parse('2026-11-26T12:00:00Z')

function failureOf(status: number, body = '', headers: S3Failure['headers'] = {}): S3Failure {
  return { status, headers, body: Buffer.from(body), bucket: 'files', region: 'us-east-1', nowMs: NOW_MS }
}

const coded = (code: string, rest = '') => `<?xml version="1.0"?>\n<Error><Code>${code}</Code>${rest}</Error>`

type Case = readonly [failure: S3Failure, code: string, passes: boolean, message: RegExp]

const CASES: readonly Case[] = [
  [failureOf(404, coded('NoSuchBucket')), 'NoSuchBucket', false, /^there is no bucket files: make it/u],
  [failureOf(404), 'NoSuchKey', false, /^the bucket has no such object/u],
  [
    failureOf(403, coded('AccessDenied')),
    'AccessDenied',
    false,
    /^access to the bucket files is denied: allow .*s3:PutObject/u,
  ],
  [failureOf(403), 'AccessDenied', false, /is denied/u],
  [failureOf(403, coded('InvalidAccessKeyId')), 'InvalidAccessKeyId', false, /check accesskeyid/u],
  [failureOf(403, coded('SignatureDoesNotMatch')), 'SignatureDoesNotMatch', false, /check .*secretaccesskey/u],
  [
    failureOf(403, coded('RequestTimeTooSkewed'), { date: 'Thu, 26 Nov 2026 11:40:00 GMT' }),
    ...([
      'RequestTimeTooSkewed',
      false,
      /clock of this machine is 1200 s ahead of the server's: set it right/u,
    ] as const),
  ],
  [
    failureOf(403, coded('RequestTimeTooSkewed')),
    ...(['RequestTimeTooSkewed', false, /clock of this machine is not that of the server/u] as const),
  ],
  [
    failureOf(400, coded('AuthorizationHeaderMalformed', '<Region>eu-west-3</Region>')),
    ...(['AuthorizationHeaderMalformed', false, /^the bucket files is in the region eu-west-3: set region/u] as const),
  ],
  [
    failureOf(301, coded('PermanentRedirect', '<Endpoint>files.s3.example.com</Endpoint>')),
    ...(['PermanentRedirect', false, /another endpoint \(files\.s3\.example\.com\): change endpoint/u] as const),
  ],
  [
    failureOf(301, coded('PermanentRedirect'), { 'x-amz-bucket-region': 'eu-west-3' }),
    ...(['PermanentRedirect', false, /in the region eu-west-3/u] as const),
  ],
  [failureOf(400, '', { 'x-amz-bucket-region': 'eu-west-3' }), 'status 400', false, /in the region eu-west-3/u],
  [failureOf(400, '', { 'x-amz-bucket-region': 'us-east-1' }), 'status 400', false, /^the server answered 400$/u],
  [failureOf(412), 'PreconditionFailed', false, /replaced/u],
  [
    failureOf(503, coded('SlowDown', '<Message>Please reduce your request rate.</Message>')),
    ...(['SlowDown', true, /^the server answered 503 SlowDown: Please reduce your request rate\.$/u] as const),
  ],
  [failureOf(500, coded('InternalError')), 'InternalError', true, /500 InternalError/u],
  [failureOf(502, '<html>Bad gateway</html>'), 'status 502', true, /^the server answered 502$/u],
  [failureOf(429), 'status 429', true, /429/u],
  [failureOf(400, coded('RequestTimeout')), 'RequestTimeout', true, /RequestTimeout/u],
  [failureOf(409, coded('OperationAborted')), 'OperationAborted', true, /OperationAborted/u],
  [failureOf(400, coded('EntityTooLarge')), 'EntityTooLarge', false, /EntityTooLarge/u],
]

describe('an error of S3', () => {
  for (const [failure, code, passes, message] of CASES) {
    it(`says what ${failure.status} ${failure.body.toString().slice(22, 100)} means, and whether it passes`, () => {
      const error = s3Error(failure)
      expect(error).to.include({ code, passes, status: failure.status })
      expect(error.message).to.match(message)
    })
  }

  it('has what the server says in one line, of bounded length', () => {
    const { message } = s3Error(failureOf(400, coded('Odd', `<Message>a\nb\u001b[2J${'x'.repeat(9999)}</Message>`)))
    expect(message).to.match(/^the server answered 400 Odd: a b \[2Jx+$/u)
    expect(message.length).to.be.lessThan(300)
  })

  it('is found in an answer that had begun as a success', () => {
    expect(hiddenError(failureOf(200, coded('InternalError')))).to.include({ code: 'InternalError', passes: true })
    expect(hiddenError(failureOf(200, '<CompleteMultipartUploadResult/>'))).to.equal(undefined)
    expect(hiddenError(failureOf(200))).to.equal(undefined)
  })
})
