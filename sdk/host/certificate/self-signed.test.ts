import { execFileSync } from 'node:child_process'
import { createPrivateKey, X509Certificate } from 'node:crypto'
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { connect, createServer } from 'node:tls'
import { expect } from 'chai'
import { requirePeer } from '../../../test/peers/require-peer.ts'
import { makeSelfSigned } from './self-signed.ts'

const INIT = {
  commonName: 'camera-Ä',
  names: ['localhost', 'media.example', '127.0.0.1', '2001:db8::c000:201'],
  notBefore: new Date('2026-11-27T01:02:03Z'),
  notAfter: new Date('2027-11-27T01:02:03Z'),
}

describe('makeSelfSigned', () => {
  it('says who it is for, and for how long', () => {
    const { cert, key } = makeSelfSigned(INIT)
    const parsed = new X509Certificate(cert)
    expect(parsed.subject).to.equal('CN=camera-Ä')
    expect(parsed.issuer).to.equal(parsed.subject)
    expect(parsed.subjectAltName).to.equal(
      'DNS:localhost, DNS:media.example, IP Address:127.0.0.1, IP Address:2001:DB8:0:0:0:0:C000:201',
    )
    expect(parsed.validFromDate).to.eql(INIT.notBefore)
    expect(parsed.validToDate).to.eql(INIT.notAfter)
    expect(parsed.keyUsage).to.eql(['1.3.6.1.5.5.7.3.1'])
    expect(parsed.ca).to.equal(false)
    expect(parsed.verify(parsed.publicKey)).to.equal(true)
    expect(parsed.checkPrivateKey(createPrivateKey(key))).to.equal(true)
    expect(parsed.checkHost('media.example')).to.equal('media.example')
    expect(parsed.checkIP('2001:db8::c000:201')).to.equal('2001:db8::c000:201')
  })

  it('gives each its own key and number', () => {
    const [a, b] = [makeSelfSigned(INIT), makeSelfSigned(INIT)]
    expect(a.key).not.to.equal(b.key)
    expect(new X509Certificate(a.cert).serialNumber).not.to.equal(new X509Certificate(b.cert).serialNumber)
  })

  it('ends after 2049, too', () => {
    const { cert } = makeSelfSigned({ ...INIT, notAfter: new Date('2051-01-01T00:00:00Z') })
    expect(new X509Certificate(cert).validToDate).to.eql(new Date('2051-01-01T00:00:00Z'))
  })

  it('is what clients verify that trust it', async () => {
    const { cert, key } = makeSelfSigned({ ...INIT, notBefore: new Date(Date.now() - 60_000) })
    const server = createServer({ cert, key }, (socket) => socket.end('hello'))
    server.listen(0, '127.0.0.1')
    await once(server, 'listening')
    const { port } = server.address() as AddressInfo
    const socket = connect({ host: '127.0.0.1', port, ca: cert, servername: 'media.example' })
    await once(socket, 'secureConnect')
    expect(socket.authorized).to.equal(true)
    socket.destroy()
    server.close()
  })

  it('is well-formed for openssl', function () {
    requirePeer(this, 'openssl')
    const { cert } = makeSelfSigned(INIT)
    const text = execFileSync('openssl', ['x509', '-noout', '-text'], { input: cert, encoding: 'utf8' })
    expect(text)
      .to.match(/Version: 3/u)
      .and.match(/ecdsa-with-SHA256/u)
    expect(text).to.match(/Key Usage: critical\s+Digital Signature\n/u)
    expect(text).to.match(/Basic Constraints: critical\s+CA:FALSE/u)
    expect(text).to.match(/TLS Web Server Authentication/u)
  })
})
