import { expect } from 'chai'
import { NotUnique } from 'sluice/sdk'
import { describeStores } from '../../test/support/stores.ts'
import { keep } from '../../test/peers/lifetime.ts'
import { logLines } from '../host/testing/log-lines.ts'
import { Store } from '../store/store.ts'
import { newPullProxy, newPushProxy } from './proxy-fields.ts'
import { PROXY_MIGRATIONS, pullProxyTable, pushProxyTable, type ProxyTables } from './proxy-tables.ts'

const none = () => undefined

describeStores('the tables of proxies', (databases) => {
  let dsn: string
  beforeEach(async () => {
    dsn = await databases.create()
  })

  function open() {
    const store = new Store({ log: logLines().log, dsn, dbtype: '', datadir: '/nowhere' })
    const letGo = keep({ close: () => store.close() })
    const db = store.tables<ProxyTables>('proxy', PROXY_MIGRATIONS)
    const close = () => (letGo(), store.close())
    return { pulls: pullProxyTable(db), pushes: pushProxyTable(db), close }
  }

  it('give pull proxies back as they were, after a restart', async () => {
    const first = open()
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
    const full = newPullProxy(1, fields, none, {
      url: '',
      loop: -1,
      maxretry: 3,
      retryinterval: 1,
      proxy: 'socks5://p',
      header: { a: ['b', 'c'] },
      args: { x: 'y' },
      testmode: 0,
    })
    const plain = newPullProxy(2, { url: 'rtsp://cam/b' }, none)
    await first.pulls.insert(full)
    await first.pulls.insert(plain)
    expect(await first.pulls.all()).to.eql([full, plain])
    await first.close()
    const { pulls } = open()
    expect(await pulls.all()).to.eql([full, plain])
    await pulls.update({ ...plain, name: 'b' })
    await pulls.remove([1])
    expect(await pulls.all()).to.eql([{ ...plain, name: 'b' }])
  })

  it('give push proxies back as they were, after a restart', async () => {
    const first = open()
    const push = newPushProxy(1, { url: 'rtmp://u:pw@host/a', streamPath: 'a', beginsAlone: true }, none)
    await first.pushes.insert(push)
    await first.close()
    const { pushes } = open()
    expect(await pushes.all()).to.eql([push])
    await pushes.update({ ...push, isDisabled: true })
    expect(await pushes.all()).to.eql([{ ...push, isDisabled: true }])
    await pushes.remove([1])
    expect(await pushes.all()).to.eql([])
  })

  it('have one row for an id', async () => {
    const { pulls } = open()
    const proxy = newPullProxy(1, { url: 'rtsp://cam/a' }, none)
    await pulls.insert(proxy)
    const error = await pulls.insert(proxy).catch((caught: unknown) => caught)
    expect(error).to.be.instanceOf(NotUnique)
  })
})
