import { createHmac } from 'node:crypto'
import path from 'node:path'
import { expect } from 'chai'
import { PeerProcess } from '../../test/peers/process.ts'
import { waitFor } from '../../test/peers/wait-for.ts'
import { RtmpClient } from '../../test/support/rtmp-client.ts'
import { startServer } from '../../test/support/server.ts'

const SECRET = 'change-me'

/** Starts the example as a reader would, but on a free port. */
async function startExample(): Promise<{ readonly url: string; readonly output: () => string }> {
  const script = path.join(import.meta.dirname, 'control-server.js')
  const example = new PeerProcess('env', ['PORT=0', `SECRET=${SECRET}`, process.execPath, script])
  const output = () => example.stdout.toString()
  const [, url] = await waitFor(() => /(http:\S+)/u.exec(output()), { what: 'the control server' })
  return { url: url ?? '', output }
}

describe('example control server', () => {
  it('decides, chooses the path, and knows who is there', async () => {
    const { url, output } = await startExample()
    const server = await startServer({
      config: `global: { admission_webhook: { enable: true, url: '${url}', secret: ${SECRET}, notify_closing: true } }`,
    })
    const publisher = await RtmpClient.publish({ url: server.rtmp('live/any?user=anna&word=open-sesame') })
    expect(server.server.streams.list().map((stream) => stream.path)).to.eql(['live/anna'])
    expect(await (await fetch(url)).json()).to.eql([
      { action: 'publish', protocol: 'rtmp', streamPath: 'live/any', ip: '127.0.0.1' },
    ])

    const stranger = await RtmpClient.connect({ url: server.rtmp('live/any') })
    stranger.tell('publish', 'any?user=anna&word=x', 'live')
    await stranger.waitForStatus('NetStream.Publish.Denied')
    expect((await fetch(server.http('/flv/private/a.flv'))).status).to.equal(401)

    publisher.close()
    await waitFor(async () => (await (await fetch(url)).text()) === '[]', { what: 'the session to be forgotten' })
    await waitFor(() => output().includes('publish of live/any by rtmp has ended'))
    expect(output()).to.include('publish of live/any by rtmp: unknown user, or the word is wrong')
    expect(output()).to.include('play of private/a by flv: nobody plays private streams')
  })

  it('answers only who knows the secret', async () => {
    const { url } = await startExample()
    const body = JSON.stringify({ action: 'play', protocol: 'flv', stream_path: 'live/a', client: {}, query: {} })
    const ask = async (signature?: string) => {
      const headers = signature === undefined ? {} : { 'x-service-signature': signature }
      return (await fetch(url, { method: 'POST', body, headers })).status
    }
    const sign = (key: string) => `sha256=${createHmac('sha256', key).update(body).digest('hex')}`
    expect(await ask(sign(SECRET))).to.equal(200)
    expect(await ask(sign('another'))).to.equal(401)
    expect(await ask('sha256=')).to.equal(401)
    expect(await ask()).to.equal(401)
  })
})
