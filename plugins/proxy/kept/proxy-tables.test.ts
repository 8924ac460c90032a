import { expect } from 'chai'
import { definePlugin, NotUnique } from 'sluice/sdk'
import { createTestServer } from 'sluice/testing'
import { keep } from '../../../test/peers/lifetime.ts'
import { describeStores } from '../../../test/support/stores.ts'
import proxy from '../index.ts'
import { TYPES } from '../testing/proxy-rig.ts'
import { newPullProxy, newPushProxy } from './proxy-fields.ts'
import { pullProxyTable, pushProxyTable, type ProxyTables } from './proxy-tables.ts'

/** A plugin that has the tables of the proxies, and nothing else. */
const { name, version, tables, formerNames } = proxy
const TABLES = definePlugin({ name, version, tables: tables!, formerNames: formerNames!, setup() {} })

describeStores('the tables of proxies', (databases) => {
  let dsn: string
  beforeEach(async () => {
    dsn = await databases.create()
  })

  async function open() {
    const server = await createTestServer(TABLES, { global: { db: { dsn } } })
    const letGo = keep({ close: () => server.stop() })
    const db = server.ctx.store<ProxyTables>()
    const close = () => (letGo(), server.stop())
    return { pulls: pullProxyTable(db), pushes: pushProxyTable(db), close }
  }

  it('give pull proxies back as they were, after a restart', async () => {
    const first = await open()
    const fields = {
      url: 'rtsp://u:pw@cam/a?x=1',
      name: 'Gate 👋',
      parentId: 2 ** 32 - 1,
      isDisabled: true,
      audio: true,
      beginsAlone: true,
      stopsOnIdle: true,
      recordPath: 'r',
      recordFragmentMs: 2 ** 31 - 1,
      checkIntervalMs: 5e3,
    }
    const full = newPullProxy(1, fields, TYPES, {
      url: '',
      loop: -1,
      maxretry: 3,
      retryinterval: 1,
      proxy: 'socks5://p',
      header: { a: ['b', 'c'] },
      args: { x: 'y' },
      testmode: 0,
    })
    const plain = newPullProxy(2, { url: 'rtsp://cam/b' }, TYPES)
    await first.pulls.insert(full)
    await first.pulls.insert(plain)
    expect(await first.pulls.all()).to.eql([full, plain])
    await first.close()
    const { pulls } = await open()
    expect(await pulls.all()).to.eql([full, plain])
    await pulls.update({ ...plain, name: 'b' })
    await pulls.remove([1])
    expect(await pulls.all()).to.eql([{ ...plain, name: 'b' }])
  })

  it('give push proxies back as they were, after a restart', async () => {
    const first = await open()
    const push = newPushProxy(1, { url: 'rtmp://u:pw@host/a', streamPath: 'a', beginsAlone: true }, TYPES)
    await first.pushes.insert(push)
    await first.close()
    const { pushes } = await open()
    expect(await pushes.all()).to.eql([push])
    await pushes.update({ ...push, isDisabled: true })
    expect(await pushes.all()).to.eql([{ ...push, isDisabled: true }])
    await pushes.remove([1])
    expect(await pushes.all()).to.eql([])
  })

  it('have one row for an id', async () => {
    const { pulls } = await open()
    const proxy = newPullProxy(1, { url: 'rtsp://cam/a' }, TYPES)
    await pulls.insert(proxy)
    const error = await pulls.insert(proxy).catch((caught: unknown) => caught)
    expect(error).to.be.instanceOf(NotUnique)
  })
})
