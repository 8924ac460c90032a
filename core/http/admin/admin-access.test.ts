import { expect } from 'chai'
import { isForeignPage, isLoopback } from './admin-access.ts'

describe('admin access', () => {
  it('is for addresses of this machine', () => {
    for (const address of ['127.0.0.1', '127.1.2.3', '::1', '::ffff:127.0.0.1']) {
      expect(isLoopback(address), address).to.equal(true)
    }
    for (const address of ['', '192.0.2.1', '::ffff:192.0.2.1', '1127.0.0.1', 'fe80::1']) {
      expect(isLoopback(address), address).to.equal(false)
    }
  })

  const own = [
    {},
    { host: 'localhost:8080' },
    { host: '127.0.0.1' },
    { host: '[::1]:8080', origin: 'http://[::1]:5173' },
    { host: 'studio:8080', origin: 'http://studio:8080' },
    { host: 'localhost:8080', origin: 'https://page.localhost', 'sec-fetch-site': 'cross-site' },
  ]
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
