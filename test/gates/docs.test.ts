import { readFile } from 'node:fs/promises'
import path from 'node:path'
import { expect } from 'chai'
import { PeerProcess, runPeer } from '../peers/process.ts'
import { waitFor } from '../peers/wait-for.ts'
import { blocksOf } from '../support/doc-blocks.ts'
import { RtmpClient } from '../support/rtmp-client.ts'
import { startServer } from '../support/server.ts'

const ROOT = path.join(import.meta.dirname, '..', '..')

async function shell(script: string): Promise<string> {
  return (await runPeer('bash', ['-euc', script])).toString().trim()
}

/** What comes after the host in the URL that a script prints. */
async function targetOf(script: string): Promise<string> {
  return (await shell(script)).replace(/^\w+:\/\/localhost(:\d+)?\//u, '')
}

describe('docs/authentication.md', () => {
  let yaml: (part: string) => string
  let sh: (part: string) => string
  before(async () => {
    yaml = await blocksOf('docs/authentication.md', 'yaml')
    sh = await blocksOf('docs/authentication.md', 'sh')
  })

  it('signs by md5sum and by openssl', async () => {
    const server = await startServer({ config: yaml('enable_auth') })
    const publisher = await RtmpClient.publish({ url: server.rtmp(await targetOf(sh('md5sum'))) })
    expect(server.server.streams.get('live/test')).not.to.equal(undefined)
    publisher.close()
    await waitFor(() => server.server.streams.get('live/test') === undefined)
    const playing = fetch(server.http(`/${await targetOf(sh('openssl dgst -md5'))}`))
    await waitFor(() => server.server.streams.subscribers('live/test').length === 1)
    await server.stop()
    expect((await playing).status).to.equal(503)
  })

  it('has the server sign', async () => {
    const server = await startServer({ config: yaml('enable_auth') })
    const script = sh('/v6/api/streams/secret').replace('http://localhost:8080', server.http(''))
    const { secret, expire } = JSON.parse(await shell(script)) as Record<string, string>
    await RtmpClient.publish({ url: server.rtmp(`live/test?secret=${secret}&expire=${expire}`) })
  })

  it('makes a policy by openssl', async () => {
    const server = await startServer({ config: yaml('signed_policy') })
    await RtmpClient.publish({ url: server.rtmp(await targetOf(sh('policy=$('))) })
    expect(server.problems).to.eql([])
  })

  it('asks the example control server by hand', async () => {
    const script = path.join(ROOT, 'examples', 'control-server', 'control-server.js')
    const example = new PeerProcess('env', ['PORT=0', process.execPath, script])
    const output = () => example.stdout.toString()
    const [, url = ''] = await waitFor(() => /(http:\S+)/u.exec(output()), { what: 'the control server' })
    const answer = await shell(sh('curl -s http://127.0.0.1:9000/').replace('http://127.0.0.1:9000/', url))
    expect(JSON.parse(answer)).to.deep.include({ allowed: true, stream_path: 'live/anna' })
    const forged = sh('curl -s http://127.0.0.1:9000/').replace('http://127.0.0.1:9000/', url).replace('change-me', 'x')
    expect(await shell(forged)).to.equal('{}')
  })

  it("has config that is valid, the same as the example's", async () => {
    const server = await startServer({ config: yaml('admission_webhook') })
    expect(server.problems).to.eql([])
    const example = await readFile(path.join(ROOT, 'examples', 'control-server', 'config.yaml'), 'utf8')
    expect(yaml('admission_webhook')).to.equal(example)
  })
})
