import { createHash } from 'node:crypto'
import { expect } from 'chai'
import { PeerProcess } from '../../../test/peers/process.ts'
import { requirePeer } from '../../../test/peers/require-peer.ts'
import { waitFor } from '../../../test/peers/wait-for.ts'
import type { RtspAnswer, RtspProbe } from '../../../test/support/rtsp/rtsp-probe.ts'
import { ANNOUNCED, interleaved, RtspRig, SDP } from '../fixtures/rtsp-rig.ts'

const USERNAME = 'viewer'
const PASSWORD = 's3cret-password'

type DigestInit = { readonly algorithm?: 'md5' | 'sha256'; readonly nonce?: string; readonly password?: string }

describe('RTSP with a name and a password', () => {
  let rig: RtspRig
  let probe: RtspProbe
  beforeEach(async () => {
    rig = await RtspRig.start({ username: USERNAME, password: PASSWORD })
    await rig.publish()
    probe = await rig.connect()
  })
  afterEach(() => {
    expect(rig.server.problems).to.eql([])
    expect(JSON.stringify(rig.server.log)).not.to.include(PASSWORD)
  })

  const basic = (username: string, password: string) =>
    `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}`

  /** A digest as clients without `qop` make it (RFC 2069). */
  function digest(
    method: string,
    uri: string,
    { algorithm = 'md5', nonce = '', password = PASSWORD }: DigestInit,
  ): string {
    const hash = (text: string) => createHash(algorithm).update(text).digest('hex')
    const response = hash(`${hash(`${USERNAME}:Sluice:${password}`)}:${nonce}:${hash(`${method}:${uri}`)}`)
    const named = `Digest username="${USERNAME}", realm="Sluice", nonce="${nonce}", uri="${uri}", response="${response}"`
    return algorithm === 'md5' ? named : `${named}, algorithm=SHA-256`
  }

  const describeAs = (authorization?: string): Promise<RtspAnswer> =>
    probe.request(
      'DESCRIBE',
      rig.url(),
      authorization === undefined ? {} : { headers: { Authorization: authorization } },
    )

  const challengesIn = ({ head }: RtspAnswer) =>
    [...head.matchAll(/WWW-Authenticate: (.*)\r\n/gu)].map(([, challenge]) => challenge ?? '')

  async function nonce(): Promise<string> {
    const [challenge = ''] = challengesIn(await describeAs())
    return /nonce="(.*?)"/u.exec(challenge)?.[1] ?? ''
  }

  it('asks for them, and lets OPTIONS pass', async () => {
    expect((await probe.request('OPTIONS', rig.url())).status).to.equal(200)
    const answer = await describeAs()
    expect(answer.status).to.equal(401)
    const challenges = challengesIn(answer).map((challenge) => challenge.replace(/nonce="[0-9a-f]+"/u, 'nonce'))
    expect(challenges).to.eql([
      'Digest realm="Sluice", nonce, algorithm=SHA-256',
      'Digest realm="Sluice", nonce, algorithm=MD5',
      'Basic realm="Sluice"',
    ])
    expect(rig.server.requests, 'no gate is asked').to.eql([])
  })

  for (const method of ['DESCRIBE', 'ANNOUNCE', 'SETUP', 'PLAY', 'PAUSE', 'RECORD', 'GET_PARAMETER', 'TEARDOWN']) {
    it(`asks for them before ${method}`, async () => {
      const headers = { ...SDP, Transport: interleaved(0) }
      const { status } = await probe.request(method, `${rig.url()}/trackID=0`, { headers, body: ANNOUNCED })
      expect(status).to.equal(401)
      expect(rig.server.requests).to.eql([])
    })
  }

  it('takes Basic, and Digest by MD5 and SHA-256', async () => {
    expect((await describeAs(basic(USERNAME, PASSWORD))).status).to.equal(200)
    for (const algorithm of ['md5', 'sha256'] as const) {
      const authorization = digest('DESCRIBE', rig.url(), { algorithm, nonce: await nonce() })
      expect((await describeAs(authorization)).status, algorithm).to.equal(200)
    }
  })

  const wrong: Record<string, () => Promise<string> | string> = {
    'a wrong password': () => basic(USERNAME, 'wrong'),
    'a wrong name': () => basic('other', PASSWORD),
    'a name without password': () => basic(USERNAME, ''),
    'a name without colon': () => `Basic ${Buffer.from(USERNAME).toString('base64')}`,
    'another scheme': () => 'Bearer abc',
    'nothing in it': () => '',
    'a digest of a wrong password': async () =>
      digest('DESCRIBE', rig.url(), { nonce: await nonce(), password: 'wrong' }),
    'a digest of another method': async () => digest('PLAY', rig.url(), { nonce: await nonce() }),
    'a digest for another stream': async () => digest('DESCRIBE', rig.url('live/b'), { nonce: await nonce() }),
  }
  for (const [name, authorize] of Object.entries(wrong)) {
    it(`refuses ${name}`, async () => {
      const answer = await describeAs(await authorize())
      expect(answer.status).to.equal(401)
      expect(challengesIn(answer).join(' ')).to.include('Digest').and.not.include('stale')
    })
  }

  it('takes a ticket instead, of those who play its stream', async () => {
    const { query } = rig.server.ctx.streams.ticket('live/a')
    const ask = (method: string, url: string) => probe.request(method, url, { headers: SDP, body: ANNOUNCED })
    expect((await ask('ANNOUNCE', `${rig.url()}?${query}`)).status).to.equal(401)
    expect((await ask('DESCRIBE', `${rig.url('live/b')}?${query}`)).status).to.equal(401)
    expect((await ask('DESCRIBE', `${rig.url()}?${query}x`)).status).to.equal(401)
    expect((await ask('DESCRIBE', `${rig.url()}?${query}`)).status).to.equal(200)
    const headers = { Transport: interleaved(0) }
    const { status } = await probe.request('SETUP', `${rig.url()}/trackID=0?${query}`, { headers })
    expect(status).to.equal(200)
    expect((await probe.request('PLAY', `${rig.url()}?${query}`)).status).to.equal(200)
  })

  it('says that a nonce is stale that it did not make, where all else is right', async () => {
    const answer = await describeAs(digest('DESCRIBE', rig.url(), { nonce: 'of-another-server' }))
    expect(answer.status).to.equal(401)
    expect(challengesIn(answer)[0]).to.include('stale=true')
    const [, fresh = ''] = /nonce="(.*?)"/u.exec(challengesIn(answer)[0] ?? '') ?? []
    expect((await describeAs(digest('DESCRIBE', rig.url(), { nonce: fresh }))).status).to.equal(200)
  })

  it('does not challenge whom a gate denies: another password would not help', async () => {
    rig.server.denyAll()
    const answer = await describeAs(basic(USERNAME, PASSWORD))
    expect([answer.status, challengesIn(answer)]).to.eql([401, []])
    expect(rig.server.requests).to.have.length(1)
  })

  it('lets go on who plays when they change, and asks whoever comes', async () => {
    const headers = { Authorization: basic(USERNAME, PASSWORD), Transport: interleaved(0) }
    await probe.request('DESCRIBE', rig.url(), { headers })
    await probe.request('SETUP', `${rig.url()}/trackID=0`, { headers })
    await probe.request('PLAY', rig.url(), { headers })
    await rig.server.configure({ username: USERNAME, password: 'another' })
    const other = await rig.connect()
    expect((await other.request('DESCRIBE', rig.url(), { headers })).status).to.equal(401)
    expect(rig.server.streams.subscribers('live/a')).to.have.length(1)
  })

  describe('before programs', () => {
    const isPlaying = () => waitFor(() => rig.server.log.some(({ msg }) => msg === 'play'), { what: 'it to play' })
    const withUser = (user: string) => rig.url().replace('//', `//${user}@`)

    it('lets ffmpeg play with them, and not without', async function () {
      requirePeer(this, 'ffmpeg')
      const play = (user: string) =>
        new PeerProcess('ffprobe', ['-v', 'error', '-rtsp_transport', 'tcp', withUser(user)])
      const player = play(`${USERNAME}:${PASSWORD}`)
      await isPlaying()
      await player.close()
      for (const user of [`${USERNAME}:wrong`, USERNAME]) {
        const refused = play(user)
        expect((await refused.exit).code).not.to.equal(0)
        expect(refused.stderr).to.include('401 Unauthorized')
      }
    })

    it('lets GStreamer play with them, and not without', async function () {
      requirePeer(this, 'gstreamer')
      const play = (user: string) => {
        const source = ['rtspsrc', `location=${rig.url()}`, 'protocols=tcp', ...user.split(' ')]
        return new PeerProcess('gst-launch-1.0', ['-q', ...source, '!', 'fakesink'])
      }
      const player = play(`user-id=${USERNAME} user-pw=${PASSWORD}`)
      await isPlaying()
      await player.close()
      const refused = play(`user-id=${USERNAME} user-pw=wrong`)
      expect((await refused.exit).code).not.to.equal(0)
      expect(refused.stderr).to.match(/[Uu]nauthorized/u)
    })
  })
})
