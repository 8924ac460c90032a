import { rm, writeFile } from 'node:fs/promises'
import http from 'node:http'
import { connect } from 'node:net'
import path from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { expect } from 'chai'
import { PUBLISH_OFFER } from '../../plugins/webrtc/fixtures/signalling-rig.ts'
import { waitFor } from '../peers/wait-for.ts'
import { startServer, type RunningServer } from '../support/server.ts'
import { WAYS, type Attempt } from './clients.ts'
import { ALLOW, ControlServer, type ControlRule } from './control-server.ts'
import { fakeProtocolFolder } from './plugin-folder.ts'
import { policyQuery, signatureQuery } from './signing.ts'

/** A server with the fake protocol and a control server. */
async function start(config: string, rule?: ControlRule, webhook = '') {
  const control = await ControlServer.start(rule)
  const folder = await fakeProtocolFolder()
  const server = await startServer({
    config: `
global:
  plugins_dir: ${JSON.stringify(folder)}
  admission_webhook: { enable: true, url: ${control.url}, notify_closing: true, ${webhook} }
${config}`,
  })
  return { server, control, folder }
}

async function open(server: RunningServer, name: string, target: string): Promise<Attempt> {
  const way = WAYS.find((other) => other.name === name)
  if (way === undefined) throw new Error(`there is no way to ${name}`)
  return way.open(server, target)
}

describe('sessions that a control server admits', () => {
  it('go where it sends them', async () => {
    const { server } = await start('', ({ fields }) => ({
      body: { allowed: true, stream_path: fields.action === 'publish' ? '/inner/one' : 'live/source' },
    }))
    const publisher = await open(server, 'publish by RTMP', 'live/test')
    expect(publisher.admitted).to.equal(true)
    expect(server.server.streams.list().map((stream) => stream.path)).to.have.members(['live/source', 'inner/one'])
    for (const way of ['play by RTMP', 'play by HTTP-FLV', 'play by WS-FLV', 'play by WHEP', 'play by a plugin']) {
      expect((await open(server, way, 'live/nowhere')).admitted, way).to.equal(true)
    }
    expect((await open(server, 'publish by a plugin', 'live/two')).told).to.match(/^ERR 409/u)
  })

  it('have the bearer token of WHIP in their query, and none of it in the log', async () => {
    const { server, control } = await start('', ({ fields }) => ({
      body: { allowed: fields.query['bearer'] === 's3cret%token', stream_path: 'inner/whip' },
    }))
    const statusWith = async (authorization: string) => {
      const headers = { authorization, 'content-type': 'application/sdp' }
      const url = server.http('/webrtc/whip/live/a?bearer=s3cret%25token')
      return (await fetch(url, { method: 'POST', headers, body: PUBLISH_OFFER })).status
    }
    expect(await statusWith('Bearer other')).to.equal(401)
    expect(await statusWith('Bearer s3cret%token')).to.equal(201)
    expect(control.openings.map(({ fields }) => fields.query['bearer'])).to.eql(['other', 's3cret%token'])
    const { body } = await server.api('/webrtc/api/sessions')
    expect(body).to.have.nested.property('data[0].streamPath', 'inner/whip')
    // Nothing connects.
    expect(server.server.streams.list().map((stream) => stream.path)).to.have.members(['live/source'])
    expect(JSON.stringify(server.records)).not.to.include('s3cret')
  })

  for (const name of ['a..b', '...', 'cam:1']) {
    it(`go where they asked for when it says so: ${name}`, async () => {
      const { server } = await start('', ({ fields }) => ({ body: { allowed: true, stream_path: fields.stream_path } }))
      expect((await open(server, 'publish by RTMP', `live/${name}`)).admitted).to.equal(true)
      expect((await open(server, 'publish by a plugin', `${name}/a`)).admitted).to.equal(true)
      const paths = server.server.streams.list().map((stream) => stream.path)
      expect(paths).to.include.members([`live/${name}`, `${name}/a`])
    })
  }

  it('or does not, for a reason that quotes their query, show none of it in the log', async () => {
    const { server } = await start('', ({ fields: { url, query } }) => ({
      body: { allowed: false, reason: `no ${url} ${JSON.stringify(query)} ${query['token']}` },
    }))
    const query = 'token=abc%2Fdefghi&token=second+secret&pin=x-q7&longer=hunter&longest=hunter2longsecret'
    expect((await open(server, 'publish by RTMP', `live/a?${query}`)).admitted).to.equal(false)
    const reason = server.records.find(({ msg }) => msg === 'denied')?.['reason']
    expect(reason).to.match(/^the control server refused: no rtmp:/u)
    const log = JSON.stringify(server.records)
    for (const value of ['defghi', 'second', 'x-q7', 'hunter', 'longsecret']) expect(log).not.to.include(value)
  })

  it('have the life it gives them in list and log, and nothing else comes of it', async () => {
    const { server } = await start('', () => ({ body: { allowed: true, lifetime_ms: 1 } }))
    expect((await open(server, 'publish by RTMP', 'live/test')).admitted).to.equal(true)
    expect((await open(server, 'play by RTMP', 'live/source')).admitted).to.equal(true)
    expect(server.server.streams.get('live/test')?.publisher?.session.closed).to.equal(false)
    const { body } = await server.api('/api/subscribers/live/source')
    expect((body.data as { lifetimeMs: unknown }[]).map(({ lifetimeMs }) => lifetimeMs)).to.eql([1])
    const lines = server.records.filter(({ lifetimeMs }) => lifetimeMs === 1)
    expect(lines.map(({ stream, action }) => `${String(action)} ${String(stream)}`)).to.eql([
      'publish live/test',
      'play live/source',
    ])
  })

  it('are told to it when they end, once: of lasting sessions, not of FLV', async () => {
    const { server, control } = await start('')
    const ways = WAYS.map(({ name }) => name)
    const sessions = await Promise.all(ways.map((name) => open(server, name, targetOf(name))))
    expect(sessions.map(({ admitted }) => admitted)).to.eql(ways.map(() => true))
    expect(control.closings).to.eql([])
    for (const session of sessions) session.close()
    await control.waitForClosings(8)
    await waitFor(() => server.server.streams.subscribers().length === 0)
    await server.stop()
    expect(control.closings.map(({ fields }) => `${fields.action} ${fields.protocol}`)).to.have.members([
      'publish rtmp',
      'play rtmp',
      'publish webrtc',
      'play webrtc',
      'publish srt',
      'play srt',
      'publish fake',
      'play fake',
    ])
    const opened = control.openings.map(({ headers }) => headers['x-service-delivery'])
    for (const { fields } of control.closings) expect(opened).to.include(fields.session_id)
  })

  it('are not told to it where they could not begin', async () => {
    const { server, control } = await start('fake: { subscribe: { waittimeout: 1ms } }')
    expect((await open(server, 'publish by RTMP', 'live/source')).admitted).to.equal(false)
    expect((await open(server, 'play by a plugin', 'live/nobody')).told).to.match(/^ERR 404/u)
    await server.stop()
    expect(control.openings).to.have.length(2)
    expect(control.closings).to.eql([])
  })

  it('are told to it when the server stops', async () => {
    const slow: ControlRule = ({ fields }) => delay(fields.status === 'closing' ? 1000 : 0, ALLOW)
    const { server, control } = await start('', slow)
    await open(server, 'publish by RTMP', 'live/test')
    await open(server, 'play by RTMP', 'live/source')
    await open(server, 'play by HTTP-FLV', 'live/source')
    await server.stop()
    expect(control.closings.map(({ fields }) => fields.action)).to.have.members(['publish', 'play'])
    expect(server.problems).to.eql([])
  })

  it('end at once although it does not listen to notices, and a warning is all', async () => {
    const silent: ControlRule = ({ fields }) => (fields.status === 'closing' ? 'never' : { body: { allowed: true } })
    const { server, control } = await start('', silent, 'timeout_ms: 600000')
    const session = await open(server, 'publish by RTMP', 'live/test')
    session.close()
    await waitFor(() => server.server.streams.get('live/test') === undefined)
    await control.waitForClosings(1)
    const again = await open(server, 'publish by RTMP', 'live/test')
    expect(again.admitted).to.equal(true)
    await server.stop()
    expect(server.problems.map(({ msg }) => msg)).to.eql(
      Array.from({ length: 2 }, () => 'the control server was not told of the end'),
    )
  })

  it('keep nobody waiting but themselves while it thinks', async () => {
    const thinking = Promise.withResolvers<void>()
    const { server } = await start(
      'rtmp: { admission_webhook: { actions: publish } }',
      async () => {
        await thinking.promise
        return { body: { allowed: true } }
      },
      'protocols: rtmp, timeout_ms: 20000',
    )
    const waiting = open(server, 'publish by RTMP', 'live/slow')
    for (const way of ['play by RTMP', 'play by HTTP-FLV']) {
      expect((await open(server, way, 'live/source')).admitted).to.equal(true)
    }
    expect(server.server.streams.get('live/slow')).to.equal(undefined)
    thinking.resolve()
    expect((await waiting).admitted).to.equal(true)
  })

  it('that their client leaves meanwhile end without a problem', async () => {
    const thinking = Promise.withResolvers<void>()
    const { server, control } = await start('', async ({ fields }) => {
      if (fields.status === 'opening') await thinking.promise
      return { body: { allowed: true } }
    })
    const viewer = http.get(server.http('/flv/live/source.flv')).on('error', () => {})
    const player = connect(server.pluginPort('fake'), '127.0.0.1').on('error', () => {})
    player.write('play live/source\n')
    await waitFor(() => control.openings.length === 2)
    viewer.destroy()
    player.destroy()
    await Promise.all([viewer, player].map((client) => new Promise((resolve) => client.once('close', resolve))))
    thinking.resolve()
    await server.stop()
    expect(control.closings).to.eql([])
    expect(server.problems).to.eql([])
  })
})

/** Publishers need a path of their own. */
function targetOf(way: string): string {
  return way.startsWith('publish') ? `live/${way.replaceAll(' ', '-')}` : 'live/source'
}

describe('auth handler of a plugin', () => {
  const keys = `
rtmp: { enable_auth: true, publish: { key: s3cret-key } }
fake: { handler: true }`

  it('takes the place of the signature until the plugin is unloaded', async () => {
    const { server, folder } = await start(keys)
    const signed = `live/test?${signatureQuery('s3cret-key', 'live/test')}`
    expect((await open(server, 'publish by RTMP', signed)).admitted).to.equal(false)
    expect((await open(server, 'publish by RTMP', 'live/a?word=open-s3same')).admitted).to.equal(true)

    await rm(path.join(folder, 'fake.ts'))
    await waitFor(() => server.records.some(({ msg }) => msg === "plugin 'fake' was removed"))
    await waitFor(async () => (await open(server, 'publish by RTMP', signed)).admitted)
    expect((await open(server, 'publish by RTMP', 'live/b?word=open-s3same')).admitted).to.equal(false)
  })

  it('stays while a new version of its plugin starts and fails', async () => {
    const { server, folder } = await start(keys)
    const broken = `
import { definePlugin, Type } from 'sluice/sdk'
export default definePlugin({
  name: 'fake',
  version: '2.0.0',
  config: Type.Object({ handler: Type.Boolean({ default: false }) }),
  async setup(ctx) {
    ctx.streams.setStreamAuthHandler(() => true)
    ctx.log.info('handler set')
    await new Promise((resolve) => setTimeout(resolve, 500))
    throw new Error('broken')
  },
})`
    await writeFile(path.join(folder, 'fake.ts'), broken)
    await waitFor(() => server.records.some(({ msg }) => msg === 'handler set'))
    expect((await open(server, 'publish by RTMP', 'live/a?word=x')).admitted).to.equal(false)
    await waitFor(() => server.problems.some(({ level }) => level === 'error'))
    expect((await open(server, 'publish by RTMP', 'live/a?word=x')).admitted).to.equal(false)
    expect((await open(server, 'publish by RTMP', 'live/a?word=open-s3same')).admitted).to.equal(true)
  })

  it('is missed with one clear warning for each direction that never asks it', async () => {
    const { server } = await start(keys)
    const warnings = server.problems.map(({ msg }) => msg).filter((msg) => msg.includes('auth handler'))
    expect(warnings).to.have.length(2)
    expect(warnings[0]).to.match(/publish sessions/u)
    expect(warnings[1]).to.match(/play sessions where enableauth is off or subscribe\.key/u)
  })
})

describe('config of the gates, on a running server', () => {
  it('holds for the sessions that come after a change, and lets those go on that are there', async () => {
    const server = await startServer()
    const before = await open(server, 'publish by RTMP', 'live/before')
    expect(before.admitted).to.equal(true)
    await server.writeConfig('global: { signed_policy: { enable: true, secret: s3cret-policy } }')
    await waitFor(async () => {
      const session = await open(server, 'publish by RTMP', 'live/after')
      session.close()
      return !session.admitted
    })
    const claims = { protocol: 'rtmp', action: 'publish', streamPath: 'live/after' }
    const query = policyQuery('s3cret-policy', claims).replace('until=', 'expire=')
    expect((await open(server, 'publish by RTMP', `live/after?${query}`)).admitted).to.equal(true)
    expect(server.server.streams.get('live/before')).not.to.equal(undefined)
    expect(JSON.stringify(server.records)).not.to.include('s3cret')
  })

  it('that has no effect, or contradicts itself, is told once, however many plugins have it', async () => {
    const server = await startServer({
      config: `
global:
  enable_auth: true
  publish: { key: k }
  signed_policy: { enable: true, secret: s }
  admission_webhook: { enable: true }
flv: { signed_policy: { secret: '' } }`,
    })
    expect(server.problems.map(({ level, msg }) => `${level} ${msg}`)).to.have.members([
      'warn global: admission_webhook.enable has no effect without admission_webhook.url',
      'warn flv: signed_policy.enable has no effect without signed_policy.secret',
      'warn global: both the signature and the signed policy read their expiry from "expire", one in hexadecimal and one in ' +
        'decimal: rename signed_policy.expire_query or expireargname',
    ])
  })

  it('counts for HEAD, too', async () => {
    const server = await startServer({ config: 'global: { enable_auth: true, subscribe: { key: k } }' })
    const answer = await fetch(server.http('/flv/live/test.flv'), { method: 'HEAD' })
    expect(answer.status).to.equal(401)
  })
})

describe('a secret from the API', () => {
  const config = `
global:
  enable_auth: true
  publish: { key: s3cret-publish }
  subscribe: { key: s3cret-subscribe }
rtmp: { publish: { key: s3cret-rtmp } }`

  async function secretQuery(server: RunningServer, parameters: string): Promise<string> {
    const answer = await fetch(server.http(`/v6/api/streams/secret?stream_path=live/test&${parameters}`))
    expect(answer.status).to.equal(200)
    const body = (await answer.json()) as Record<string, string>
    expect(Object.keys(body)).to.have.members(['secret_type', 'plugin', 'stream_path', 'expire', 'secret'])
    expect(body['stream_path']).to.equal('live/test')
    return `secret=${body['secret']}&expire=${body['expire']}`
  }

  it('opens what it is for, and nothing else', async () => {
    const server = await startServer({ config })
    const ofGlobal = await secretQuery(server, 'type=publish')
    const ofRtmp = await secretQuery(server, 'plugin=rtmp')
    const ofPlayers = await secretQuery(server, 'type=subscribe')
    expect((await open(server, 'publish by RTMP', `live/test?${ofGlobal}`)).admitted).to.equal(false)
    expect((await open(server, 'publish by RTMP', `live/other?${ofRtmp}`)).admitted).to.equal(false)
    expect((await open(server, 'publish by RTMP', `live/test?${ofRtmp}`)).admitted).to.equal(true)
    expect((await open(server, 'play by HTTP-FLV', `live/test?${ofRtmp}`)).admitted).to.equal(false)
    const waiting = open(server, 'play by HTTP-FLV', `live/test?${ofPlayers}`)
    await waitFor(() => server.server.streams.subscribers('live/test').length === 1)
    expect((await secretQuery(server, 'plugin=flv&type=subscribe')).length).to.equal(ofPlayers.length)
    await server.stop()
    expect((await waiting).told).to.match(/^503/u)
  })

  it('is refused for a plugin that is not there, and where there is no key', async () => {
    const server = await startServer({ config: 'global: { publish: { key: s3cret-publish } }\nflv: { enable: false }' })
    const status = async (parameters: string) =>
      (await fetch(server.http(`/v6/api/streams/secret?stream_path=live/test&${parameters}`))).status
    expect(await status('plugin=nope')).to.equal(400)
    expect(await status('plugin=flv')).to.equal(400)
    expect(await status('type=play')).to.equal(400)
    expect(await status('plugin=rtmp')).to.equal(200)
    expect(await status('type=subscribe')).to.equal(404)
    expect(await status('plugin=rtmp&type=subscribe')).to.equal(404)
  })
})
