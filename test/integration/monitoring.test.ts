import { readFile } from 'node:fs/promises'
import { expect } from 'chai'
import { parse } from 'yaml'
import { Prometheus } from '../peers/prometheus.ts'
import { requirePeer } from '../peers/require-peer.ts'
import { waitFor } from '../peers/wait-for.ts'
import { allBlocksOf, blocksOf } from '../support/doc-blocks.ts'
import { Scrape } from '../support/scrape.ts'
import { startServer, type RunningServer } from '../support/server.ts'

type Target = { readonly expr: string }
type Dashboard = {
  readonly panels: readonly { readonly title: string; readonly type: string; readonly targets?: readonly Target[] }[]
  readonly templating: { readonly list: readonly { readonly name: string; readonly query: unknown }[] }
}
type Rule = { readonly alert: string; readonly expr: string }

const PAGE = 'docs/monitoring.md'
/** What Prometheus itself makes for each target. */
const OF_PROMETHEUS = new Set(['up'])
const NAME = /\b(up|(?:sluice|process|nodejs)_[a-z\d_]+)\b/gu

/** The names of metrics in an expression. */
function namesIn(expression: string): string[] {
  const withoutLabels = expression.replaceAll(/\{[^}]*\}|\bby \([^)]*\)|"[^"]*"/gu, ' ')
  return [...withoutLabels.matchAll(NAME)].map(([, name = '']) => name)
}

describe('docs/monitoring.md and the dashboard', () => {
  let server: RunningServer
  let names: ReadonlySet<string>
  let dashboard: Dashboard
  let rules: readonly Rule[]
  before(async () => {
    server = await startServer()
    const { types } = await Scrape.of(server.http('/metrics'))
    const series = [...types].flatMap(([name, type]) =>
      type === 'histogram' ? ['_bucket', '_sum', '_count'].map((suffix) => name + suffix) : [name],
    )
    names = new Set([...series, ...types.keys()])
    dashboard = JSON.parse(
      await readFile(new URL('../../docs/grafana/sluice.json', import.meta.url), 'utf8'),
    ) as Dashboard
    const alerts = parse((await blocksOf(PAGE, 'yaml'))('alert: ')) as { groups: readonly { rules: Rule[] }[] }
    rules = alerts.groups.flatMap((group) => group.rules)
  })

  const expressions = () => [
    ...dashboard.panels.flatMap(({ targets = [] }) => targets.map(({ expr }) => expr)),
    ...rules.map(({ expr }) => expr),
  ]

  it('ask for metrics that there are', () => {
    expect(expressions().length).to.be.greaterThan(60)
    for (const expression of expressions()) {
      const asked = namesIn(expression)
      expect(asked, expression).not.to.eql([])
      expect(
        asked.filter((name) => !names.has(name) && !OF_PROMETHEUS.has(name)),
        expression,
      ).to.eql([])
    }
  })

  it('show all that there are', async () => {
    const asked = new Set(
      expressions()
        .flatMap(namesIn)
        .map((name) => name.replace(/_(?:bucket|sum|count)$/u, '')),
    )
    const { types } = await Scrape.of(server.http('/metrics'))
    expect([...types.keys()].filter((name) => !asked.has(name))).to.eql([])
  })

  it('name metrics in the page that there are', async () => {
    const text = await readFile(new URL(`../../${PAGE}`, import.meta.url), 'utf8')
    const named = [...text.matchAll(/`((?:sluice|process|nodejs)_[a-z\d_]+)(?:\{[a-z,]+\})?`/gu)]
    const found = named.map(([, name = '']) => name)
    expect(found.length).to.be.greaterThan(30)
    expect(found.filter((name) => !names.has(name))).to.eql([])
  })

  it('can be asked of Prometheus, which scrapes as the page says', async function () {
    requirePeer(this, 'prometheus')
    const block = (await allBlocksOf(PAGE, 'yaml'))[0] ?? ''
    const { host } = new URL(server.http('/'))
    const written = parse(block.replace('127.0.0.1:8081', host).replace('15s', '1s')) as { scrape_configs: object[] }
    const prometheus = await Prometheus.start(written.scrape_configs[0] ?? {})
    await waitFor(async () => (await prometheus.query('up{job="sluice"}'))[0] === 1, { what: 'a scrape that succeeds' })
    for (const expression of expressions()) {
      await prometheus.query(expression.replaceAll('$__rate_interval', '1m').replaceAll('$instance', '.*'))
    }
    expect(await prometheus.query('sum(sluice_plugins{state="running"})')).to.have.length(1)
  })
})
