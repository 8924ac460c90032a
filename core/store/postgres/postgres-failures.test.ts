import { expect } from 'chai'
import { postgresFailure } from './postgres-failures.ts'

function coded(code: string, fields: object = {}): Error {
  return Object.assign(new Error('no words'), { code, ...fields })
}

describe('postgresFailure', () => {
  const AWAY: readonly (readonly [error: Error, reason: RegExp])[] = [
    [coded('ENOENT', { syscall: 'connect' }), /^there is no socket/u],
    [coded('ENOENT', { syscall: 'open' }), /^a file that db\.dsn names/u],
    [coded('DEPTH_ZERO_SELF_SIGNED_CERT'), /^its certificate is not trusted/u],
    [new Error('SASL: SCRAM-SERVER-FIRST-MESSAGE: client password must be a string'), /^it asks for a password/u],
    [
      new Error('SASL: SCRAM-SERVER-FIRST-MESSAGE: client password must be a non-empty string'),
      /^it asks for a password/u,
    ],
    [new Error('The server does not support SSL connections'), /^it has no TLS/u],
    [new Error('Query read timeout'), /^it does not answer$/u],
  ]
  for (const [error, reason] of AWAY) {
    it(`says what to do of ${error.message} ${JSON.stringify(error)}`, () => {
      const failure = postgresFailure(error)
      expect(failure.kind).to.equal('away')
      expect(failure).to.have.property('reason').that.matches(reason)
    })
  }
})
