import { createSocket, type Socket } from 'node:dgram'
import { once } from 'node:events'
import { expect } from 'chai'
import { keep } from './lifetime.ts'
import { requirePeer } from './require-peer.ts'
import { runSipp, Sipp } from './sipp.ts'

const SCENARIO = `<?xml version="1.0" encoding="UTF-8"?>
<scenario name="ask">
  <send retrans="500"><![CDATA[

OPTIONS sip:[server]@[remote_ip]:[remote_port] SIP/2.0
Via: SIP/2.0/[transport] [local_ip]:[local_port];branch=[branch]
From: <sip:[call_number]@[local_ip]>;tag=1
To: <sip:[server]@[remote_ip]>
Call-ID: [call_id]
CSeq: 1 OPTIONS
Content-Length: 0

]]></send>
  <recv response="200"/>
</scenario>`

describe('peers: SIPp', () => {
  before(function () {
    requirePeer(this, 'sipp')
  })

  it('runs a scenario, and shows its messages', async () => {
    const port = await answering('200 \u00fcber')
    const messages = await runSipp({ scenario: SCENARIO, port, keys: { server: 'a' }, callId: 'known' })
    expect(messages.map(({ isSent }) => isSent)).to.eql([true, false])
    expect(messages[0]!.text).to.match(/^OPTIONS sip:a@127\.0\.0\.1:\d+ SIP\/2\.0\r\n[^]*\r\nCall-ID: known\r\n/u)
    expect(messages[1]!.text).to.match(/^SIP\/2\.0 200 \u00fcber\r\n/u)
  })

  it('fails with what it got in place of what the scenario has', async () => {
    const sipp = new Sipp({ scenario: SCENARIO, port: await answering('404 Not Found'), keys: { server: 'a' } })
    const error: unknown = await sipp.succeed().catch((cause: unknown) => cause)
    expect(error)
      .to.be.an('error')
      .with.property('message')
      .that.matches(/ended with code 1:[^]*while expecting '200'[^]*→ OPTIONS [^]*← SIP\/2\.0 404/u)
    expect(sipp.received(/^SIP/u)).to.have.length(1)
    const waiting: unknown = await sipp.waitFor(/^INVITE/u).catch((cause: unknown) => cause)
    expect(waiting).to.be.an('error').with.property('message').that.includes('sipp ended without /^INVITE/u')
  })
})

/** A peer that answers all requests alike; returns its port. */
async function answering(status: string): Promise<number> {
  const socket: Socket = createSocket('udp4')
  keep({ close: () => void socket.close() })
  socket.on('message', (request, { port }) => {
    const headers = request
      .toString('latin1')
      .split('\r\n')
      .filter((line) => /^(?:Via|From|To|Call-ID|CSeq):/u.test(line))
    const answer = [`SIP/2.0 ${status}`, ...headers, 'Content-Length: 0', '', ''].join('\r\n')
    socket.send(Buffer.from(answer, 'latin1'), port, '127.0.0.1')
  })
  const listening = once(socket, 'listening')
  socket.bind(0, '127.0.0.1')
  await listening
  return socket.address().port
}
