import { expect } from 'chai'
import { createFakeHost, sessionInit } from 'sluice/sdk/testing'
import { keep } from '../../../test/peers/lifetime.ts'
import { waitFor } from '../../../test/peers/wait-for.ts'
import relay from '../index.ts'

const URL_WITH_SECRETS = 'x://user:pa55@host/app?key=s3cret'

type Answer = { readonly status: number; readonly message: string; readonly data: unknown }

async function rig() {
  const host = await createFakeHost(relay)
  keep({ close: () => host.dispose() })
  const { pulls, pushes } = host.jobs
  for (const { protocols } of [pulls, pushes]) protocols.set('x', 'x')
  const ask = async (path: string, body?: object): Promise<Answer> => {
    const headers = { 'content-type': 'application/json' }
    const init = body && { method: 'POST', headers, body: JSON.stringify(body) }
    const answer = await fetch(`${host.http.origin}/api/${path}`, init)
    const { message, data } = (await answer.json()) as { message: string; data: unknown }
    return { status: answer.status, message, data }
  }
  const pull = (body: object = {}) => ask('stream/pull', { remoteURL: 'x://host/a', streamPath: 'live/a', ...body })
  const push = (remoteURL = URL_WITH_SECRETS) => ask('stream/push', { remoteURL, streamPath: 'live/a' })
  return { host, pulls, pushes, ask, pull, push }
}

describe('a pull that an operator asks for', () => {
  it('is answered when the stream is up, or with the reason why not', async () => {
    const { pulls, pull } = await rig()
    const first = pull()
    await waitFor(() => pulls.all.length === 1, { what: 'the pull' })
    expect(pulls.all[0]?.wish).to.deep.include({
      plugin: 'x',
      streamPath: 'live/a',
      isLasting: true,
      origin: 'operator',
    })
    pulls.all[0]?.begin()
    expect((await first).status).to.equal(200)
    expect(await pull()).to.include({ status: 409, message: 'stream exist' })
    const second = pull({ streamPath: 'live/b' })
    await waitFor(() => pulls.all.length === 2, { what: 'the second pull' })
    pulls.all[1]?.fail('it broke')
    expect(await second).to.include({ status: 502, message: 'it broke' })
  })

  it('is refused where the path has a publisher, unless that may be replaced or the pull is a test', async () => {
    const { host, pulls, pull } = await rig()
    await host.ctx.streams.publish(sessionInit('live/a'))
    expect((await pull()).status).to.equal(409)
    for (const more of [{ kickExist: '1' }, { testMode: 1 }]) {
      const answer = pull(more)
      await waitFor(() => pulls.get('live/a') !== undefined, { what: 'the pull' })
      pulls.get('live/a')?.begin()
      expect((await answer).status).to.equal(200)
      pulls.get('live/a')?.stop('enough')
    }
  })

  it('has the keys of its publisher as the config file has them', async () => {
    const { pulls, pull } = await rig()
    const given = {
      pubAudio: 'false',
      kick_exist: 1,
      pauseTimeout: '7s',
      idleTimeout: 3,
      maxFPS: 24,
      speed: 2,
      scale: 0,
    }
    const answer = pull({ ...given, loop: '-1', protocol: 'x' })
    await waitFor(() => pulls.all.length === 1, { what: 'the pull' })
    pulls.all[0]?.begin()
    expect((await answer).status).to.equal(200)
    const { publish, rule } = pulls.all[0]!.wish
    const keys = { pubaudio: false, kickexist: true, pausetimeout: 7000, idletimeout: 3000, maxfps: 24, speed: 2 }
    expect([publish, rule.loop, rule.testmode]).to.eql([keys, -1, 0])
    expect(await pull({ streamPath: 'b', pauseTimeout: 's3cret' })).to.deep.include({
      status: 400,
      message: "pausetimeout: expected a duration such as '500ms', '10s' or '1h30m' (at most 24 days)",
    })
  })

  it('tells its steps', async () => {
    const { pulls, pull, ask } = await rig()
    void pull()
    await waitFor(() => pulls.all.length === 1, { what: 'the pull' })
    const { steps } = pulls.all[0]!
    steps.begin('connect', 'to host')
    steps.begin('publish')
    const { status, data } = await ask('stream/progress/live/a')
    const { steps: told, currentStep } = data as { steps: Record<string, string>[]; currentStep: number }
    expect([status, currentStep, told.map(({ name }) => name)]).to.eql([200, 1, ['connect', 'publish']])
    expect([Date.parse(told[0]!['completedAt']!) > 0, told[1]!['completedAt']]).to.eql([true, ''])
    expect((await ask('stream/progress/live/b')).status).to.equal(404)
    pulls.all[0]?.begin()
  })
})

describe('a push that an operator asks for', () => {
  it('is answered when the target has taken the stream, or with the reason why not', async () => {
    const { host, pushes, push } = await rig()
    await host.ctx.streams.publish(sessionInit('live/a'))
    const first = push()
    await waitFor(() => pushes.all.length === 1, { what: 'the push' })
    expect(pushes.all[0]?.wish).to.include({ plugin: 'x', streamPath: 'live/a', origin: 'operator' })
    expect(await push()).to.include({ status: 409, message: 'push remote url exist' })
    pushes.all[0]?.begin()
    expect((await first).status).to.equal(200)
    const second = push('x://b')
    await waitFor(() => pushes.all.length === 2, { what: 'the second push' })
    pushes.all[1]?.fail('refused')
    expect(await second).to.include({ status: 502, message: 'refused' })
  })

  it('is refused where it can not be, and no message has the address', async () => {
    const { host, push, ask } = await rig()
    expect((await push()).status).to.equal(404)
    await host.ctx.streams.publish(sessionInit('live/a'))
    const unknown = URL_WITH_SECRETS.replace('x:', 'y:')
    const answers = [
      await push('no address'),
      await push(unknown),
      await ask('stream/push', { remoteURL: unknown, streamPath: 'live/a', protocol: 'y' }),
    ]
    expect(answers.map(({ status, message }) => [status, message])).to.eql([
      [400, 'remoteURL is no address'],
      [400, 'the address does not tell its protocol; give it as protocol'],
      [400, "no plugin pushes by 'y'"],
    ])
  })

  it('may come from another plugin, by the service', async () => {
    const { host, pushes } = await rig()
    const jobs = host.services.get('jobs')!
    const wanted = { protocol: 'x', streamPath: 'live/a', url: URL_WITH_SECRETS }
    const statusOf = (init: typeof wanted) =>
      jobs.push(init).catch((error: { statusCode?: number }) => error.statusCode)
    expect(await statusOf(wanted)).to.equal(404)
    await host.ctx.streams.publish(sessionInit('live/a'))
    expect([await statusOf({ ...wanted, protocol: 'y' }), await statusOf({ ...wanted, url: 'none' })]).to.eql([
      400, 400,
    ])
    const pushed = jobs.push(wanted)
    await waitFor(() => pushes.all.length === 1, { what: 'the push' })
    pushes.all[0]?.begin()
    await pushed
  })
})

describe('the lists of pulls and pushes', () => {
  it('tell what goes on, and no secret of an address', async () => {
    const { host, pulls, pushes, ask, pull, push } = await rig()
    await host.ctx.streams.publish(sessionInit('live/a'))
    void pull({ remoteURL: URL_WITH_SECRETS, streamPath: 'live/b' })
    void pull({ streamPath: 'live/c' })
    void push()
    await waitFor(() => pulls.all.length === 2 && pushes.all.length === 1, { what: 'the pulls and the push' })
    const [first] = pulls.all
    first!.progress = { ...first!.progress, state: 'retrying', tries: 2, lastError: 'it broke', bitrate: 8000 }
    const listed = { protocol: 'x', url: 'x://******@host/app?key=******', origin: 'operator' }
    const { data } = (await ask('pull/list?search=KEY')) as { data: Record<string, unknown>[] }
    expect(data).to.have.length(1)
    expect(data[0]).to.include({
      ...listed,
      streamPath: 'live/b',
      state: 'retrying',
      tries: 2,
      lastError: 'it broke',
      bps: 1000,
    })
    expect((await ask('push/list')).data).to.have.deep.nested.property('[0].url', listed.url)
    expect((await ask('pull/list?search=pa55')).data).to.eql([])
    first!.stop('enough')
    expect((await ask('pull/list')).data).to.have.length(1)
    pulls.all[1]?.begin()
    pushes.all[0]?.begin()
  })
})
