import { connect, type Socket } from 'node:net'
import { connect as connectTls } from 'node:tls'
import { expect } from 'chai'
import { keep } from '../peers/lifetime.ts'
import { waitFor } from '../peers/wait-for.ts'
import { Outsider } from '../support/outsider.ts'

const VERSIONS = ['2.0.0', '3.0.0', '4.0.0']

describe('a connection of a device whose plugin is replaced', () => {
  for (const tls of [false, true]) {
    it(`is handed over in the middle of a message${tls ? ', with TLS' : ''}`, async () => {
      const key = tls ? 'listenaddrtls' : 'listenaddr'
      const outsider = await Outsider.start('device-link', { tcp: { listenaddr: '', [key]: '127.0.0.1:0' } })
      const port = outsider.view.listeners[0]?.port ?? 0
      const options = { port, host: '127.0.0.1', rejectUnauthorized: false }
      const device = new Device(tls ? connectTls(options) : connect(options))
      device.send('register camera-1\n')
      device.send('one message\n')
      await device.isAnswered(2)
      for (const [index, version] of VERSIONS.entries()) {
        device.send(`message before ${version}\nhalf of `)
        await device.isAnswered(3 + 2 * index)
        await outsider.release(version)
        // At once, though its connection has just come, the generation before has nothing left to wait for.
        await outsider.hasEnded(index + 1)
        device.send(`message after\n`)
        await device.isAnswered(4 + 2 * index)
      }
      expect(device.answers).to.eql([
        'camera-1 1: register camera-1, says 1.0.0',
        'camera-1 2: one message, says 1.0.0',
        'camera-1 3: message before 2.0.0, says 1.0.0',
        'camera-1 4: half of message after, says 2.0.0',
        'camera-1 5: message before 3.0.0, says 2.0.0',
        'camera-1 6: half of message after, says 3.0.0',
        'camera-1 7: message before 4.0.0, says 3.0.0',
        'camera-1 8: half of message after, says 4.0.0',
      ])
      expect(device.isOpen).to.equal(true)
      expect(outsider.server.problems).to.eql([])
    })
  }

  it('loses nothing of what is sent while the plugin is being replaced', async () => {
    const outsider = await Outsider.start('device-link', { tcp: { listenaddr: '127.0.0.1:0' } })
    const device = new Device(connect(outsider.view.listeners[0]?.port ?? 0, '127.0.0.1'))
    let sent = 0
    device.send('register camera-2\n')
    const timer = setInterval(() => {
      sent += 1
      // Each message ends with the first part of the next.
      device.send(`${sent}\n part of `)
    }, 1)
    for (const version of VERSIONS) await outsider.release(version)
    const before = sent
    await waitFor(() => sent > before + 10, { what: 'messages to the last generation' })
    clearInterval(timer)
    await device.isAnswered(sent + 1)
    expect(device.answers.map((answer) => answer.split(',')[0])).to.eql([
      'camera-2 1: register camera-2',
      ...Array.from(
        { length: sent },
        (_, index) => `camera-2 ${index + 2}: ${index > 0 ? ' part of ' : ''}${index + 1}`,
      ),
    ])
    const versions = new Set(device.answers.map((answer) => answer.split('says ')[1]))
    expect([...versions]).to.eql(['1.0.0', ...VERSIONS])
    expect(outsider.server.problems).to.eql([])
  })
})

class Device {
  readonly #socket: Socket
  #text = ''

  constructor(socket: Socket) {
    this.#socket = socket
    keep({ close: () => void socket.destroy() })
    socket.on('data', (bytes: Buffer) => (this.#text += bytes.toString()))
  }

  /** The lines that were received. */
  get answers(): string[] {
    return this.#text.split('\n').slice(0, -1)
  }

  get isOpen(): boolean {
    return !this.#socket.destroyed
  }

  send(text: string): void {
    this.#socket.write(text)
  }

  async isAnswered(count: number): Promise<void> {
    await waitFor(() => this.answers.length >= count, { what: `${count} answers` })
  }
}
