import { expect } from 'chai'
import { rejectionOf } from '../../test/support/rejection.ts'
import { PasswordHashes } from './password.ts'

const PASSWORD = 'correct horse'

describe('the hashes of passwords', () => {
  it('are argon2id in the form of PHC strings, each with its own salt', async () => {
    const hashes = new PasswordHashes()
    const [one, other] = await Promise.all([hashes.make(PASSWORD), hashes.make(PASSWORD)])
    for (const hash of [one, other]) expect(hash).to.match(/^\$argon2id\$v=19\$m=19456,t=2,p=1\$[^$]{22}\$[^$]{43}$/u)
    expect(one).not.to.equal(other)
  })

  it('fit their password alone, however its letters are composed', async () => {
    const hashes = new PasswordHashes()
    const hash = await hashes.make('caf\u00E9-caf\u00E9')
    expect(await hashes.matches(hash, 'cafe\u0301-cafe\u0301')).to.equal(true)
    for (const other of ['cafe-cafe', 'CAF\u00C9-CAF\u00C9', '', 'x'.repeat(5000)]) {
      expect(await hashes.matches(hash, other), other).to.equal(false)
    }
  })

  it('that nobody has, or that are broken, fit no password', async () => {
    const hashes = new PasswordHashes()
    for (const phc of [undefined, '', 'plain', '$argon2id$v=19$m=9999999,t=2,p=1$c2FsdHNhbHQ$aGFzaA']) {
      for (const password of ['', PASSWORD]) expect(await hashes.matches(phc, password), phc).to.equal(false)
    }
  })

  // RFC 9106, with the parameters that the reference implementation takes on its command line.
  it('are those of others', async () => {
    const reference = '$argon2id$v=19$m=65536,t=2,p=1$c29tZXNhbHQ$CTFhFdXPJO1aFaMaO6Mm5c8y7cJHAph8ArZWb2GRPPc'
    expect(await new PasswordHashes().matches(reference, 'password')).to.equal(true)
  })

  for (const password of ['', '1234567', 'é'.repeat(513), 'x'.repeat(1025)]) {
    it(`are not made of ${Buffer.byteLength(password)} bytes`, async () => {
      const error = await rejectionOf(new PasswordHashes().make(password))
      expect(error).to.include({ code: 'INVALID', message: 'a password has 8 to 1024 bytes' })
    })
  }

  it('are made a few at a time, and not for any number that waits', async () => {
    const hashes = new PasswordHashes()
    const results = await Promise.allSettled(Array.from({ length: 60 }, () => hashes.matches(undefined, PASSWORD)))
    const refused = results.filter(({ status }) => status === 'rejected')
    expect(refused).to.have.length(60 - 2 - 32)
    for (const { reason } of refused as PromiseRejectedResult[]) expect(reason).to.include({ code: 'LOGIN_LIMIT' })
    expect(await hashes.matches(undefined, PASSWORD)).to.equal(false)
  })
})
