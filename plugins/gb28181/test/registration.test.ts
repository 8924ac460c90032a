import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { expect } from 'chai'
import { keep } from '../../../test/peers/lifetime.ts'
import { requirePeer } from '../../../test/peers/require-peer.ts'
import { waitFor } from '../../../test/peers/wait-for.ts'
import { UdpClient } from '../../../test/support/udp-client.ts'
import { DeviceRig, headerOf, PASSWORD, scenarioOf, statusesOf } from '../fixtures/device-rig.ts'
import { rawNotice, rawRequest, signature } from '../fixtures/raw-requests.ts'

const ONLINE = { state: 'online' }

describe('GB28181: devices of SIPp register', () => {
  let rig: DeviceRig
  before(async function () {
    requirePeer(this, 'sipp')
    rig = await DeviceRig.start()
  })

  for (const transport of ['UDP', 'TCP'] as const) {
    it(`with the password, by ${transport}`, async () => {
      const device = await rig.device()
      const messages = await device.run('register', { transport })
      expect(statusesOf(messages)).to.eql([401, 200])
      const challenge = messages.find(({ text }) => text.startsWith('SIP/2.0 401'))!.text
      expect(challenge).to.match(/^WWW-Authenticate: Digest realm="3402000000", nonce="[^"]+", algorithm=MD5\r$/mu)
      const granted = messages.findLast(({ text }) => text.startsWith('SIP/2.0 200'))!.text
      expect(headerOf(granted, 'Expires')).to.equal('3600')
      expect(headerOf(granted, 'Date')).to.match(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}$/u)
      expect(rig.linesOf(device.id)).to.include('a device has registered')
    })
  }

  it('and leave', async () => {
    const device = await rig.device()
    await device.run('register')
    const online = await rig.metric('devices', ONLINE)
    expect(statusesOf(await device.run('register', { keys: { expires: '0' } }))).to.eql([401, 200])
    expect(rig.linesOf(device.id)).to.include('a device has left')
    await rig.waitForMetric('devices', ONLINE, online - 1)
  })

  it('not with a wrong password', async () => {
    const device = await rig.device()
    const refused = await rig.metric('registrations_total', { result: 'refused' })
    const account = { username: device.id, password: 'wrong' }
    expect(statusesOf(await device.run('register', { account }))).to.eql([401, 403])
    expect(rig.linesOf(device.id)).to.not.include('a device has registered')
    expect(await rig.metric('registrations_total', { result: 'refused' })).to.equal(refused + 1)
  })

  it('not for a time that is too short', async () => {
    const device = await rig.device()
    const messages = await device.run('register', { keys: { expires: '20' } })
    expect(statusesOf(messages)).to.eql([401, 423])
    expect(headerOf(messages.findLast(({ isSent }) => !isSent)!.text, 'Min-Expires')).to.equal('60')
    expect(rig.linesOf(device.id)).to.eql([])
  })

  it('and prove it each time, by a nonce that holds once', async () => {
    const device = await rig.device()
    expect(statusesOf(await device.run('register-again'))).to.eql([401, 200, 401, 200, 401])
  })

  it('by short names of headers', async () => {
    const device = await rig.device()
    expect(statusesOf(await device.run('register-compact'))).to.eql([401, 200])
    expect(rig.linesOf(device.id)).to.include('a device has registered')
  })

  for (const version of ['1.0', '2.0', 'none']) {
    it(`and are answered with their version of the standard: ${version}`, async () => {
      const device = await rig.device()
      const headers = version === 'none' ? '' : `\r\nX-GB-Ver: ${version}`
      const messages = await device.run('register', { keys: { headers } })
      const answers = messages.filter(({ isSent, text }) => !isSent && text.startsWith('SIP/2.0'))
      const versions = answers.map(({ text }) => headerOf(text, 'X-GB-Ver') ?? 'none')
      expect(versions).to.eql([version, version])
      const challenges = answers[0]!.text.match(/^WWW-Authenticate/gmu)
      expect(challenges).to.have.length(1)
    })
  }

  for (const { name, scenario = 'register', contact } of [
    { name: 'without rport', scenario: scenarioOf('register').replaceAll(';rport', '') },
    {
      name: 'from behind a NAT that they do not know of',
      scenario: scenarioOf('register').replaceAll('[local_ip]:[local_port];rport', '192.168.1.64:5060'),
    },
    {
      name: 'from behind a NAT, with an address of their own net',
      contact: (id: string) => `<sip:${id}@192.168.1.64:5060>`,
    },
    { name: 'with a port that is none', contact: (id: string) => `<sip:${id}@192.168.1.64:-1>` },
    { name: 'without an address', contact: () => '<sip:192.168.1.64>;expires=3600' },
  ]) {
    it(`${name}, and are asked where they have come from`, async () => {
      const device = await rig.device()
      const keys = contact === undefined ? {} : { contact: contact(device.id) }
      expect(statusesOf(await device.run(scenario, { keys }))).to.eql([401, 200])
      await device.run('catalog', { calls: 2 })
      await waitFor(() => rig.linesOf(device.id).includes('the catalog of a device was fetched'))
    })
  }
})

describe('GB28181: devices register', () => {
  it('without a password where none is set, by their full ids', async function () {
    requirePeer(this, 'sipp')
    const rig = await DeviceRig.start({ password: '' })
    const device = await rig.device()
    expect(statusesOf(await device.run('register'))).to.eql([200])
    await rig.waitForMetric('devices', ONLINE, 1)
    const stranger = await rig.device('1000')
    expect(statusesOf(await stranger.run('register'))).to.eql([403])
    expect(await rig.metric('devices', ONLINE)).to.equal(1)
  })

  for (const algorithm of ['SM3', 'SHA-256', 'MD5'] as const) {
    it(`by ${algorithm}, which those of 2022 are offered`, async () => {
      const rig = await DeviceRig.start()
      const { id } = await rig.device()
      const client = await UdpClient.open(rig.server.port('udp'))
      const request = (cseq: number, ...headers: string[]) =>
        rawRequest({ method: 'REGISTER', device: id, callId: id, cseq, headers: ['X-GB-Ver: 3.0', ...headers] })
      const challenge = await client.ask(request(1))
      expect([...challenge.matchAll(/^WWW-Authenticate: .*algorithm=(\S+)/gmu)].map(([, name]) => name)).to.eql([
        'SM3',
        'SHA-256',
        'MD5',
      ])
      const signed = signature({ device: id, password: PASSWORD, challenge, algorithm })
      const granted = await client.ask(request(2, signed))
      expect(granted).to.match(/^SIP\/2\.0 200 OK\r\n/u)
      expect(headerOf(granted, 'X-GB-Ver')).to.equal('3.0')
    })
  }

  it('several times with one nonce, where they count its uses', async () => {
    const rig = await DeviceRig.start()
    const { id } = await rig.device()
    const client = await UdpClient.open(rig.server.port('udp'))
    const request = (cseq: number, ...headers: string[]) =>
      rawRequest({ method: 'REGISTER', device: id, callId: id, cseq, headers })
    const challenge = await client.ask(request(1))
    const statuses: string[] = []
    for (const [index, nc] of ['00000001', '00000002', '00000002', '00000001', '0000000a'].entries()) {
      const signed = signature({ device: id, password: PASSWORD, challenge, algorithm: 'MD5', nc })
      statuses.push((await client.ask(request(index + 2, signed))).slice(8, 11))
    }
    expect(statuses).to.eql(['200', '200', '401', '401', '200'])
  })

  it('by TCP, with several requests in one segment and one request in several', async () => {
    const rig = await DeviceRig.start()
    const { id } = await rig.device()
    const { socket, answers } = await openTcp(rig.server.port())
    const request = (cseq: number, ...headers: string[]) =>
      rawRequest({ method: 'REGISTER', transport: 'TCP', device: id, callId: id, cseq, headers })
    socket.write(request(1) + request(2))
    await waitFor(() => statuses(answers()).length === 2)
    expect(statuses(answers())).to.eql(['401', '401'])
    const signed = request(3, signature({ device: id, password: PASSWORD, challenge: answers(), algorithm: 'MD5' }))
    const body = rawNotice(id, 'Keepalive', 1, '<Status>OK</Status>')
    const alive = rawRequest({ method: 'MESSAGE', transport: 'TCP', device: id, callId: 'alive', cseq: 4, body })
    const bytes = `\r\n\r\n${signed}${alive}`
    socket.write(bytes.slice(0, 200))
    // The server has read the first part when it answers what comes over another connection.
    await (
      await UdpClient.open(rig.server.port('udp'))
    ).ask(rawRequest({ method: 'OPTIONS', device: id, callId: 'o', cseq: 1 }))
    socket.write(bytes.slice(200))
    const answered = () => statuses(answers()).filter((status) => status === '200').length
    await waitFor(() => answered() === 2, { what: 'two answers of 200' })
    await rig.waitForMetric('devices', ONLINE, 1)
    socket.destroy()
    await rig.waitForMetric('devices', ONLINE, 0)
    expect(rig.linesOf(id)).to.include('a device is offline: its connection has ended')
  })
})

async function openTcp(port: number): Promise<{ socket: Socket; answers: () => string }> {
  const socket = connect(port, '127.0.0.1')
  keep({ close: () => void socket.destroy() })
  let text = ''
  socket.on('data', (bytes: Buffer) => (text += bytes.toString()))
  await once(socket, 'connect')
  return { socket, answers: () => text }
}

function statuses(text: string): string[] {
  return [...text.matchAll(/^SIP\/2\.0 (\d{3})/gmu)].map(([, status = '']) => status)
}
