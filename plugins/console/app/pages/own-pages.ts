import {
  BroadcastIcon,
  GearIcon,
  GraphIcon,
  LogIcon,
  PeopleIcon,
  PersonIcon,
  PlugIcon,
  PulseIcon,
  TasklistIcon,
  type Icon,
} from '@primer/octicons-react'
import type { ComponentType } from 'react'
import type { PageProps, Words } from 'sluice/sdk/console'
import type { Paths } from 'sluice/api'

/** A page of the console's own. */
export type OwnPage = {
  /** The first part of its address. */
  readonly path: string
  readonly titles: Words<string>
  readonly group: string
  readonly icon: Icon
  readonly load: () => Promise<{ readonly default: ComponentType<PageProps<Paths>> }>
}

/** The pages of the server itself, in the order of the menu. Pages of plugins come from the plugins. */
export const OWN_PAGES: readonly OwnPage[] = [
  {
    path: 'overview',
    titles: { en: 'Overview', zh: '概览' },
    group: 'live',
    icon: PulseIcon,
    load: () => import('./overview/overview.tsx'),
  },
  {
    path: 'streams',
    titles: { en: 'Streams', zh: '流' },
    group: 'live',
    icon: BroadcastIcon,
    load: () => import('./streams/streams.tsx'),
  },
  {
    path: 'subscribers',
    titles: { en: 'Viewers', zh: '观众' },
    group: 'live',
    icon: PeopleIcon,
    load: () => import('./subscribers/subscribers.tsx'),
  },
  {
    path: 'plugins',
    titles: { en: 'Plugins', zh: '插件' },
    group: 'server',
    icon: PlugIcon,
    load: () => import('./plugins/plugins.tsx'),
  },
  {
    path: 'config',
    titles: { en: 'Config', zh: '配置' },
    group: 'server',
    icon: GearIcon,
    load: () => import('./config/config.tsx'),
  },
  {
    path: 'tasks',
    titles: { en: 'Tasks', zh: '任务' },
    group: 'server',
    icon: TasklistIcon,
    load: () => import('./tasks/tasks.tsx'),
  },
  {
    path: 'users',
    titles: { en: 'Users and tokens', zh: '用户与令牌' },
    group: 'server',
    icon: PersonIcon,
    load: () => import('./users/users.tsx'),
  },
  {
    path: 'metrics',
    titles: { en: 'Metrics', zh: '指标' },
    group: 'server',
    icon: GraphIcon,
    load: () => import('./metrics/metrics.tsx'),
  },
  {
    path: 'log',
    titles: { en: 'Log', zh: '日志' },
    group: 'server',
    icon: LogIcon,
    load: () => import('./log/log.tsx'),
  },
]
