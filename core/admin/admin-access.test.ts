import { expect } from 'chai'
import { isForeignPage, isThisMachine } from './admin-access.ts'

describe('admin access', () => {
  it('is for addresses of this machine', () => {
    for (const remoteAddress of ['127.0.0.1', '127.1.2.3', '::1', '::ffff:127.0.0.1', '192.0.2.7']) {
      expect(isThisMachine({ remoteAddress, localAddress: '192.0.2.7' }), remoteAddress).to.equal(true)
    }
    for (const remoteAddress of ['', '192.0.2.1', '::ffff:192.0.2.1', '1127.0.0.1', 'fe80::1']) {
      expect(isThisMachine({ remoteAddress, localAddress: '192.0.2.7' }), remoteAddress).to.equal(false)
    }
    expect(isThisMachine({})).to.equal(false)
  })

  const own = [
    {},
    { host: 'localhost:8080' },
    { host: '127.0.0.1' },
    { host: '[::1]:8080', origin: 'http://[::1]:5173' },
    { host: 'studio:8080', origin: 'http://studio:8080' },
    { host: 'localhost:8080', origin: 'https://page.localhost', 'sec-fetch-site': 'cross-site' },
  ]
  it('knows its own by its address', () => {
    const headers = { host: '192.0.2.1:8080' }
    for (const address of ['192.0.2.1', '::ffff:192.0.2.1']) expect(isForeignPage(headers, address)).to.equal(false)
    expect(isForeignPage(headers, '192.0.2.2')).to.equal(true)
    expect(isForeignPage({ ...headers, origin: 'http://192.0.2.1:8080' }, '192.0.2.1')).to.equal(false)
    expect(isForeignPage({ host: '[2001:db8::1]:8080' }, '2001:db8::1')).to.equal(false)
  })

  for (const headers of own) {
    it(`knows its own: ${JSON.stringify(headers)}`, () => expect(isForeignPage(headers)).to.equal(false))
  }

  const foreign = [
    { host: 'localhost:8080', origin: 'https://page.example' },
    { host: 'localhost:8080', origin: 'null' },
    { host: 'localhost:8080', origin: 'http://127.0.0.1.page.example' },
    { host: 'localhost:8080', 'sec-fetch-site': 'cross-site' },
    { host: 'rebound.example:8080' },
    { host: '192.0.2.1:8080' },
    { host: 'a b' },
  ]
  for (const headers of foreign) {
    it(`knows pages of others: ${JSON.stringify(headers)}`, () => expect(isForeignPage(headers)).to.equal(true))
  }
})
