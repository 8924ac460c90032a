import { expect } from 'chai'
import type { Endpoints } from 'sluice/sdk'
import { effectiveConfig, LogRecords } from 'sluice/sdk/testing'
import type { PluginView } from '../../host/plugin-view.ts'
import { askOperations } from '../../http/testing/ask-operations.ts'
import { addSysinfoOperations } from './sysinfo-operations.ts'

function plugin(name: string, endpoints: () => unknown, disableReason?: string): PluginView {
  return {
    name,
    version: '1',
    description: '',
    generation: 1,
    lastError: undefined,
    listeners: [],
    udpListeners: [],
    pages: undefined,
    loadMs: 0,
    setupMs: 0,
    state: disableReason === undefined ? 'running' : 'disabled',
    disableReason,
    definition: {
      name,
      version: '1',
      endpoints: endpoints as () => Endpoints,
      setup() {},
    },
    config: {
      enabled: true,
      values: effectiveConfig({}, {}),
      sources: new Map(),
      userConfig: '',
    },
  }
}

type Shown = { name: string; pushAddr: unknown; playAddr: unknown; description: Record<string, unknown> }

describe('the lists of plugins', () => {
  let log: LogRecords

  async function ask(plugins: readonly PluginView[], url: string): Promise<Shown[]> {
    const source = { version: '1', startTime: new Date(), publicIp: () => '', userConfig: () => '' }
    const [first, second] = await askOperations(
      log,
      (operations) => addSysinfoOperations(operations, { ...source, log: log.logger, plugins: () => plugins }),
      [{ url }, { url }],
    )
    expect(first?.statusCode).to.equal(200)
    expect(second?.body).to.equal(first?.body)
    const { data } = JSON.parse(first?.body ?? '') as { data: Shown[] | { plugins: Shown[] } }
    return 'plugins' in data ? data.plugins : data
  }

  beforeEach(() => {
    log = new LogRecords('core')
  })

  const good = plugin('good', () => ({ playAddr: ['http://{hostName}/a', 'ws://{hostName}/a'] }))
  const broken: readonly [what: string, endpoints: () => unknown, why: string][] = [
    [
      'throw',
      () => {
        throw new Error('no luck')
      },
      'no luck',
    ],
    ['reject', () => Promise.reject(new Error('no luck')), 'not a promise'],
    ['return nothing', () => undefined, 'must return an object'],
    ['return a number of addresses', () => ({ playAddr: 3 }), 'the playAddr of endpoints must be a list of strings'],
    ['return a list of other things', () => ({ pullAddr: ['x', {}] }), 'the pullAddr of endpoints must be a list'],
  ]
  for (const [what, endpoints, why] of broken) {
    it(`show a plugin whose endpoints ${what} without addresses, and say so once`, async () => {
      const [shown, other] = await ask([plugin('bad', endpoints), good], '/api/sysinfo')
      expect(shown).to.include({ name: 'bad' }).and.deep.include({ pushAddr: [], playAddr: [] })
      expect(other?.description).to.include({ playAddr: 'http://{hostName}/a, ws://{hostName}/a' })
      expect(log.problems).to.have.length(1)
      expect(log.problems[0]).to.include({ plugin: 'bad' })
      expect(JSON.stringify(log.problems)).to.include(why)
    })
  }

  it('list disabled plugins, whatever their endpoints do', async () => {
    const disabled = plugin(
      'bad',
      () => {
        throw new Error('no luck')
      },
      'broken',
    )
    expect((await ask([disabled, good], '/api/plugins/disabled')).map(({ name }) => name)).to.eql(['bad'])
  })

  it('take an address for a list of one', async () => {
    const [shown] = await ask([plugin('one', () => ({ playAddr: 'http://{hostName}/a' }))], '/api/sysinfo')
    expect(shown?.playAddr).to.eql(['http://{hostName}/a'])
    expect(log.problems).to.eql([])
  })
})
