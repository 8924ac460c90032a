import { createHmac } from 'node:crypto'
import { expect } from 'chai'
import type { AdmissionWebhookConfig, SessionRequest } from 'sluice/sdk'
import { WebhookClient } from 'sluice/sdk/http'
import { effectiveConfig, LogRecords } from 'sluice/sdk/testing'
import { ALLOW, ControlServer, type ControlReply, type ControlRequest } from '../../test/gates/control-server.ts'
import { AdmissionGate } from './admission-webhook.ts'
import { sessionRequest, verdictOf } from './fixtures/request.ts'
import type { Admission } from './gate.ts'

/** Largest answer that a `WebhookClient` reads. */
const MAX_ANSWER_BYTES = 64 * 1024

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/u

/** A gate with its control server, and what both were told. */
class Rig {
  readonly log = new LogRecords('rtmp')
  readonly client = new WebhookClient()
  readonly notices: Promise<void>[] = []
  readonly control: ControlServer
  readonly #config: object

  constructor(control: ControlServer, config: object) {
    this.control = control
    this.#config = { url: control.url, ...config }
  }

  /**
   * What the gate says to a request.
   * @param changes what has changed in the config once the session ends
   */
  check(request: SessionRequest, closingNotice = true, changes: object = {}): Promise<Admission | undefined> {
    const gate = new AdmissionGate({
      config: this.#configWith({}),
      configAtEnd: () => this.#configWith(changes),
      openings: this.client,
      closings: this.client,
      track: (notice) => void this.notices.push(notice),
    })
    return gate.check(request, { log: this.log.logger, closingNotice })
  }

  #configWith(changes: object): AdmissionWebhookConfig {
    const base = { enable: true, timeout_ms: 2000 }
    return effectiveConfig({}, { admission_webhook: { ...base, ...this.#config, ...changes } }).admission_webhook
  }
}

describe('admission webhook', () => {
  const rigs: Rig[] = []
  afterEach(() => {
    for (const { client } of rigs.splice(0)) client.close()
  })

  async function start(config: object = {}, reply: ControlReply = ALLOW): Promise<Rig> {
    const rig = new Rig(await ControlServer.start(() => reply), config)
    rigs.push(rig)
    return rig
  }

  const request = sessionRequest({ query: 'a=1&b=x%20y&a=2&empty=', protocol: 'srt' })

  function expectEvent(sent: ControlRequest | undefined, status: string, sessionId: string | null): void {
    expect(sent?.method).to.equal('POST')
    expect(sent?.headers['content-type']).to.equal('application/json')
    expect(sent?.headers['x-service-event']).to.equal(`admission.${status}`)
    expect(sent?.headers['x-service-delivery']).to.match(UUID)
    const { time, ...fields } = sent?.fields ?? { time: '' }
    expect(fields).to.eql({
      action: 'publish',
      protocol: 'srt',
      status,
      stream_path: 'live/test',
      url: 'srt://localhost/live/test?a=1&b=x%20y&a=2&empty=',
      client: { ip: '192.0.2.1', port: 40_000, user_agent: 'agent/1' },
      query: { a: '1', b: 'x y', empty: '' },
      session_id: sessionId,
    })
    expect(time).to.match(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/u)
    expect(Math.abs(Date.parse(time) - Date.now())).to.be.lessThan(10_000)
  }

  it('sends the opening with exactly its fields and headers', async () => {
    const rig = await start()
    await rig.check(request)
    expect(rig.control.requests).to.have.length(1)
    const [sent] = rig.control.requests
    expectEvent(sent, 'opening', null)
    expect(sent?.headers).not.to.have.property('x-service-signature')
  })

  it('names a player as such', async () => {
    const rig = await start()
    await rig.check(sessionRequest({ action: 'play', protocol: 'flv' }))
    expect(rig.control.requests[0]?.fields).to.deep.include({ action: 'play', protocol: 'flv' })
  })

  it('has an id of its own for each delivery', async () => {
    const rig = await start()
    await rig.check(request)
    await rig.check(request)
    const ids = rig.control.requests.map(({ headers }) => headers['x-service-delivery'])
    expect(new Set(ids).size).to.equal(2)
  })

  it('signs the very bytes of both bodies', async () => {
    const rig = await start({ secret: 'hook-secret', notify_closing: true })
    const admission = await rig.check(sessionRequest({ streamPath: 'live/späť' }))
    admission?.onEnd?.()
    await Promise.all(rig.notices)
    expect(rig.control.requests).to.have.length(2)
    for (const { body, headers } of rig.control.requests) {
      const expected = createHmac('sha256', 'hook-secret').update(body).digest('hex')
      expect(headers['x-service-signature']).to.equal(`sha256=${expected}`)
    }
  })

  it('hands on what the answer says', async () => {
    const rig = await start({}, { body: { allowed: true, stream_path: 'other/path', lifetime_ms: 60_000 } })
    expect(await rig.check(request, false)).to.eql({ streamPath: 'other/path', lifetimeMs: 60_000 })
    const plain = await start()
    expect(await plain.check(request, false)).to.eql({})
    const created = await start({}, { status: 201, body: { allowed: true } })
    expect(await created.check(request, false)).to.eql({})
  })

  it('denies what is not allowed, whatever fail_policy says, and tells why in the cause only', async () => {
    for (const fail_policy of ['closed', 'open']) {
      for (const body of [{ allowed: false, reason: 'no room' }, { reason: 'no room' }]) {
        const rig = await start({ fail_policy }, { body })
        expect(await verdictOf(rig.check(request))).to.equal('the control server refused: no room')
        expect(rig.log.records).to.eql([])
      }
    }
    const silent = await start({}, { body: { allowed: false } })
    expect(await verdictOf(silent.check(request))).to.equal('the control server refused: no reason given')
  })

  const allowed = JSON.stringify({ allowed: true })
  const failures: readonly (readonly [string, ControlReply, RegExp])[] = [
    ['invalid JSON', { body: 'allowed' }, /its answer is not JSON/u],
    ['an empty answer', { body: '' }, /its answer is not JSON/u],
    ['status 204', { status: 204, body: '' }, /its answer is not JSON/u],
    ['status 302', { status: 302, body: allowed, headers: { location: '/' } }, /it answered with status 302/u],
    ['status 401', { status: 401, body: allowed }, /it answered with status 401/u],
    ['status 500', { status: 500, body: allowed }, /it answered with status 500/u],
    ['no answer', 'never', /no answer in 100 ms/u],
    ['a cut connection', 'cut', /socket hang up|ECONNRESET/u],
    ['too large an answer', { body: { allowed: true, reason: 'x'.repeat(MAX_ANSWER_BYTES) } }, /is larger than/u],
  ]
  for (const [name, reply, cause] of failures) {
    it(`${name}: denies when fail_policy is closed, admits with a warning when it is open`, async () => {
      const patience = { timeout_ms: reply === 'never' ? 100 : 10_000 }
      const closed = await start(patience, reply)
      expect(await verdictOf(closed.check(request))).to.match(cause)
      expect(closed.log.problems).to.eql([])
      expect(closed.control.requests).to.have.length(1)

      const open = await start({ ...patience, fail_policy: 'open' }, reply)
      expect(await open.check(request, false)).to.eql({})
      expect(open.log.problems).to.have.length(1)
      expect(open.log.problems[0]?.['reason']).to.match(cause)
      expect(open.control.requests).to.have.length(1)
    })
  }

  for (const fail_policy of ['closed', 'open']) {
    it(`denies who is sent to what is no path, with fail_policy ${fail_policy}`, async () => {
      const rig = await start({ fail_policy }, { body: { allowed: true, stream_path: 'a/../b' } })
      expect(await verdictOf(rig.check(request))).to.match(
        /^the stream_path of the control server's answer is no path/u,
      )
      expect(rig.log.problems).to.eql([])
    })
  }

  it('treats a control server that is not there as a failure', async () => {
    const rig = await start()
    await rig.control.close()
    expect(await verdictOf(rig.check(request))).to.match(/^the control server failed: .*ECONNREFUSED/u)
  })

  describe('closing notice', () => {
    it('is sent when a session has ended, named by the delivery that opened it', async () => {
      const rig = await start({ notify_closing: true }, { body: { allowed: true, stream_path: 'other/path' } })
      const admission = await rig.check(request)
      expect(rig.control.requests).to.have.length(1)
      admission?.onEnd?.()
      await Promise.all(rig.notices)
      const [opening, closing] = rig.control.requests
      const id = String(opening?.headers['x-service-delivery'])
      expectEvent(closing, 'closing', id)
      expect(closing?.headers['x-service-delivery']).not.to.equal(id)
      expect(rig.control.requests).to.have.length(2)
    })

    it('is not sent without notify_closing, nor by a protocol without lasting sessions', async () => {
      const quiet = await start()
      const admission = await quiet.check(request)
      admission?.onEnd?.()
      expect(quiet.notices).to.eql([])
      const notWired = await start({ notify_closing: true })
      expect(await notWired.check(request, false)).to.eql({})
    })

    const changes: readonly (readonly [string, object, object, number])[] = [
      ['off', { notify_closing: true }, { notify_closing: false }, 0],
      ['off with the whole gate', { notify_closing: true }, { enable: false }, 0],
      ['off by an empty url', { notify_closing: true }, { url: '' }, 0],
      ['on', {}, { notify_closing: true }, 1],
    ]
    for (const [name, config, change, sent] of changes) {
      it(`is switched ${name} for sessions that run`, async () => {
        const rig = await start(config)
        const admission = await rig.check(request, true, change)
        admission?.onEnd?.()
        await Promise.all(rig.notices)
        expect(rig.control.closings).to.have.length(sent)
      })
    }

    it('goes to where the control server is by then, with its secret', async () => {
      const rig = await start({ notify_closing: true })
      const moved = await ControlServer.start(() => ALLOW)
      const admission = await rig.check(request, true, { url: moved.url, secret: 'new' })
      admission?.onEnd?.()
      await Promise.all(rig.notices)
      expect(rig.control.closings).to.eql([])
      expect(moved.closings).to.have.length(1)
      expect(moved.closings[0]?.headers).to.have.property('x-service-signature')
    })

    it('is not sent for a session that was denied', async () => {
      const rig = await start({ notify_closing: true }, { body: { allowed: false } })
      await verdictOf(rig.check(request))
      expect(rig.notices).to.eql([])
    })

    const replies: readonly (readonly [string, ControlReply, boolean])[] = [
      ['refusals', { body: { allowed: false } }, false],
      ['status 500', { status: 500 }, false],
      ['what is no JSON', { body: 'thanks' }, false],
      ['no answer', 'never', true],
      ['a cut connection', 'cut', true],
    ]
    for (const [name, reply, warns] of replies) {
      it(`ignores ${name}, with ${warns ? 'a warning' : 'no word'}, and is sent once`, async () => {
        const rig = await start({ notify_closing: true, timeout_ms: 10_000 })
        const admission = await rig.check(request, true, reply === 'never' ? { timeout_ms: 100 } : {})
        rig.control.rule = () => reply
        admission?.onEnd?.()
        await Promise.all(rig.notices)
        expect(rig.log.records.map(({ level }) => level)).to.eql(warns ? [40] : [])
        expect(rig.control.closings).to.have.length(1)
      })
    }
  })
})
