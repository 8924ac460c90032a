import { connect } from 'node:tls'
import { once } from 'node:events'
import { expect } from 'chai'
import { keep } from '../../../test/peers/lifetime.ts'
import { waitFor } from '../../../test/peers/wait-for.ts'
import { DEVICE_ID, GbRig } from '../fixtures/rig.ts'

describe('SIP over TLS', () => {
  it('registers a device, which is asked over its connection, and is offline without it', async () => {
    const rig = await GbRig.start({ password: '', env: { SLUICE_GB28181_SIP_LISTENADDRTLS: '[":0"]' } })
    const port = rig.server.pluginPort('gb28181', true)
    const socket = connect({ port, host: '127.0.0.1', rejectUnauthorized: false })
    keep({ close: () => void socket.destroy() })
    await once(socket, 'secureConnect')
    let text = ''
    socket.on('data', (bytes: Buffer) => (text += bytes.toString('latin1')))
    const lines = [
      'REGISTER sip:34020000002000000001@3402000000 SIP/2.0',
      `Via: SIP/2.0/TLS 127.0.0.1:${socket.localPort};branch=z9hG4bKtls`,
      `From: <sip:${DEVICE_ID}@3402000000>;tag=1`,
      `To: <sip:${DEVICE_ID}@3402000000>`,
      'Call-ID: tls',
      'CSeq: 1 REGISTER',
      `Contact: <sip:${DEVICE_ID}@127.0.0.1:${socket.localPort};transport=tls>`,
      'Expires: 3600',
      'Content-Length: 0',
    ]
    socket.write(`${lines.join('\r\n')}\r\n\r\n`)
    await waitFor(() => text.includes('SIP/2.0 200 OK') && text.includes('<CmdType>DeviceInfo</CmdType>'))
    expect(text).to.include(`Contact: <sip:34020000002000000001@127.0.0.1:${port};transport=tls>`)
    socket.destroy()
    await rig.logged('a device is offline: its connection has ended', DEVICE_ID)
  })
})
