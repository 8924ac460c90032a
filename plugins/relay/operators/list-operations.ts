import {
  maskTarget,
  maskUrl,
  Type,
  viewedList,
  type OperationRegistry,
  type PluginContext,
  type PullRule,
  type PushRule,
} from 'sluice/sdk'
import { JobView, jobView, type ShownJob } from './job-view.ts'

type Context = Pick<PluginContext<unknown>, 'jobs' | 'operations' | 'plugins'>

const Search = Type.Object({
  search: Type.Optional(
    Type.String({ maxLength: 1024, description: 'A part of the path or address, in any case; all unless given' }),
  ),
})

const RuleView = Type.Object({
  plugin: Type.String({ description: 'In whose section of the config it stands' }),
  when: Type.String({
    description: 'start: always; subscribe: for subscribers; publish: while the stream is published',
  }),
  path: Type.String({ description: 'The stream path, or unless it is one of start, a regular expression' }),
  url: Type.String({ description: 'Address without its secrets' }),
})

/** Adds the lists of the pulls and pushes that have not ended, and of the rules by which they begin. */
export function addListOperations({ jobs, operations, plugins }: Context): void {
  addList(operations, 'pull', () => jobs.pulls.list().map((job) => ({ job, url: maskUrl(job.wish.rule.url) })))
  addList(operations, 'push', () => jobs.pushes.list().map((job) => ({ job, url: maskTarget(job.wish.rule.url) })))

  operations.add({
    method: 'GET',
    path: '/api/pull/rules',
    summary: 'Rules of the config by which streams are pulled',
    answer: Type.Array(RuleView),
    handle: () =>
      plugins
        .rules('pull')
        .flatMap(({ plugin, config }) => [
          ...rulesOf(config.pull, { plugin, when: 'start', mask: maskUrl }),
          ...rulesOf(config.onsub.pull, { plugin, when: 'subscribe', mask: maskUrl }),
        ]),
  })

  operations.add({
    method: 'GET',
    path: '/api/push/rules',
    summary: 'Rules of the config by which streams are pushed',
    answer: Type.Array(RuleView),
    handle: () =>
      plugins
        .rules('push')
        .flatMap(({ plugin, config }) => rulesOf(config.onpub.push, { plugin, when: 'publish', mask: maskTarget })),
  })
}

function addList(operations: OperationRegistry, kind: 'pull' | 'push', list: () => readonly ShownJob[]): void {
  operations.add({
    method: 'GET',
    path: `/api/${kind}/list`,
    summary: kind === 'pull' ? 'Pulls that have not ended' : 'Pushes that have not ended',
    query: Search,
    answer: Type.Array(JobView),
    paged: true,
    reach: 'all',
    handle({ query: { search = '' } }) {
      const sought = search.toLowerCase()
      const isFound = ({ job, url }: ShownJob) =>
        [job.wish.streamPath, url].some((text) => text.toLowerCase().includes(sought))
      return viewedList(list().filter(isFound), jobView)
    },
  })
}

type RuleKind = { readonly plugin: string; readonly when: string; readonly mask: (url: string) => string }

function rulesOf(rules: Readonly<Record<string, PullRule | PushRule>>, { plugin, when, mask }: RuleKind) {
  return Object.entries(rules).map(([path, { url }]) => ({ plugin, when, path, url: mask(url) }))
}
