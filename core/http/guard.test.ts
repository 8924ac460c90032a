import { EventEmitter, once } from 'node:events'
import type { RoutedRequest } from 'sluice/sdk/http'
import { expect } from 'chai'
import { Unauthenticated } from '../login/login-errors.ts'
import { Guard, isForeignPage, isFromThisMachine } from './guard.ts'

describe('admin access', () => {
  it('is for addresses of this machine', () => {
    for (const remoteAddress of ['127.0.0.1', '127.1.2.3', '::1', '::ffff:127.0.0.1', '192.0.2.7']) {
      const socket = { remoteAddress, localAddress: '192.0.2.7' }
      expect(isFromThisMachine({ socket, headers: {} }), remoteAddress).to.equal(true)
    }
    for (const remoteAddress of ['', '192.0.2.1', '::ffff:192.0.2.1', '1127.0.0.1', 'fe80::1']) {
      const socket = { remoteAddress, localAddress: '192.0.2.7' }
      expect(isFromThisMachine({ socket, headers: {} }), remoteAddress).to.equal(false)
    }
    expect(isFromThisMachine({ socket: {}, headers: {} })).to.equal(false)
  })

  describe('through a proxy on this machine', () => {
    const socket = { remoteAddress: '127.0.0.1', localAddress: '127.0.0.1' }
    const forwarded = { ip: '127.0.0.1', port: 0 }

    for (const headers of [{ 'x-forwarded-for': '127.0.0.1' }, { via: '1.1 x' }, { forwarded: 'for=127.0.0.1' }]) {
      it(`is for nobody unless it is trusted: ${JSON.stringify(headers)}`, () => {
        expect(isFromThisMachine({ socket, headers })).to.equal(false)
      })
    }

    const local = [{ 'x-forwarded-for': '127.0.0.1' }, { forwarded: 'for="[::1]"', via: '1.1 x' }]
    for (const headers of local) {
      it(`is for this machine when it is trusted: ${JSON.stringify(headers)}`, () => {
        expect(isFromThisMachine({ socket, headers, forwarded })).to.equal(true)
      })
    }

    const remote = [
      { 'x-forwarded-for': '203.0.113.7' },
      { 'x-forwarded-for': '203.0.113.7, 127.0.0.1' },
      { 'x-forwarded-for': '127.0.0.1', 'x-real-ip': '203.0.113.7' },
      { 'x-forwarded-for': '127.0.0.1', forwarded: 'for=unknown' },
      { 'x-forwarded-for': '127.0.0.1', forwarded: 'nonsense' },
      { via: '1.1 x' },
    ]
    for (const headers of remote) {
      it(`is for nobody who may be elsewhere: ${JSON.stringify(headers)}`, () => {
        expect(isFromThisMachine({ socket, headers, forwarded })).to.equal(false)
      })
    }

    it('on another machine is for nobody', () => {
      const other = { remoteAddress: '192.0.2.1', localAddress: '192.0.2.7' }
      const headers = { 'x-forwarded-for': '127.0.0.1' }
      expect(isFromThisMachine({ socket: other, headers, forwarded })).to.equal(false)
    })
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

describe('a WebSocket or an event stream of who has logged in', () => {
  const kinds = [{ upgrade: 'websocket' }, { accept: 'text/event-stream' }]
  for (const headers of kinds) {
    it(`ends when the login does: ${JSON.stringify(headers)}`, async () => {
      let logins = 0
      const login = {
        isOn: true,
        async identify() {
          if (++logins > 2) throw new Unauthenticated('invalid token')
          return { name: 'bob', role: 'user', expiresS: 0, session: 'x', newToken: undefined } as const
        },
      }
      const guard = new Guard({ login, isClosed: () => false, watchIntervalMs: 1 })
      const socket = Object.assign(new EventEmitter(), { destroy: () => void socket.emit('close') })
      const request = { method: 'GET', url: '/api/watch?token=x', headers, socket } as unknown as RoutedRequest
      const closed = once(socket, 'close')
      await guard.admit(request, { access: 'user', changes: false })
      expect(request.user).to.equal('bob')
      await closed
      expect(logins).to.equal(3)
    })
  }
})
