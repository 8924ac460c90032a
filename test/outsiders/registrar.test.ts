import { readFile } from 'node:fs/promises'
import { expect } from 'chai'
import { ClientAuthorization } from 'sluice/sdk/http'
import { createTestServer } from 'sluice/testing'
import { keep } from '../peers/lifetime.ts'
import { blocksOf } from '../support/doc-blocks.ts'
import { UdpClient } from '../support/udp-client.ts'
import plugin from './registrar.ts'

const URI = 'sip:34020000002000000001@example.com'
const CNONCE = '0a4f113b0a4f113b'

describe('a plugin whose clients have a name and a password', () => {
  async function start() {
    const config = { udp: { listenaddr: '127.0.0.1:0' }, username: 'device', password: 's3cret' }
    const server = await createTestServer(plugin, { config })
    keep({ close: () => server.stop() })
    const client = await UdpClient.open(server.port('udp'))
    const ask = async (authorization?: string, method = 'REGISTER') => {
      const lines = authorization === undefined ? [] : [`Authorization: ${authorization}`]
      const answer = await client.ask([`${method} ${URI} SIP/2.0`, ...lines, '', ''].join('\r\n'))
      const challenges = answer.split('\r\n').flatMap((line) => /^WWW-Authenticate: (.*)$/u.exec(line)?.[1] ?? [])
      return { status: answer.split(' ')[1], challenges }
    }
    return { server, ask }
  }

  /** What a device says to challenges. */
  function answerTo(challenges: readonly string[], password = 's3cret', method = 'REGISTER'): string {
    const device = new ClientAuthorization('device', password)
    expect(device.challenge(challenges)).to.equal(true)
    return device.authorize(method, URI, CNONCE) ?? ''
  }

  it('lets them in by Digest, with SHA-256 or MD5, and after a reload, too', async () => {
    const { server, ask } = await start()
    const { status, challenges } = await ask()
    expect([status, challenges.length]).to.eql(['401', 2])
    expect((await ask(answerTo(challenges))).status).to.equal('200')
    await server.replace()
    for (const challenge of challenges) expect((await ask(answerTo([challenge]))).status).to.equal('200')
  })

  it('refuses others, who are told when only the nonce is too old', async () => {
    const { ask } = await start()
    const { challenges } = await ask()
    const basic = `Basic ${Buffer.from('device:s3cret').toString('base64')}`
    for (const authorization of [answerTo(challenges, 's3cre'), basic, 'Digest nonsense']) {
      const refused = await ask(authorization)
      expect(refused.status, authorization).to.equal('401')
      expect(refused.challenges.join()).not.to.include('stale')
    }
    expect((await ask(answerTo(challenges), 'INVITE')).status).to.equal('401')
    const old = challenges.map((challenge) => challenge.replace(/nonce="./u, 'nonce="f'))
    const stale = await ask(answerTo(old))
    expect(stale.status).to.equal('401')
    expect(stale.challenges[0]).to.include('stale=true')
    expect((await ask(answerTo(stale.challenges))).status).to.equal('200')
  })

  it('is the plugin of docs/plugins/passwords.md', async () => {
    const block = (await blocksOf('docs/plugins/passwords.md', 'ts'))("name: 'registrar'")
    expect(block).to.equal(await readFile(new URL('registrar.ts', import.meta.url), 'utf8'))
  })
})
