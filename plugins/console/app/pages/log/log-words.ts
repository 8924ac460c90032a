import type { Words } from 'sluice/sdk/console'

const en = {
  title: 'Log',
  description: 'The lines of this server as they come. Those below its loglevel are not written at all:',
  config: 'config of global',
  adminsOnly: 'The log is for admins.',
  level: 'Lowest level',
  allLevels: 'All levels',
  plugin: 'Plugin',
  allPlugins: 'All plugins',
  search: 'Text',
  pause: 'Pause',
  resume: (held: number) => (held === 0 ? 'Go on' : `Go on (${held} new)`),
  clear: 'Clear',
  toEnd: 'To the end',
  lines: 'Lines of the log',
  empty: 'No line yet that the filters let through.',
  dropped: (count: number) => `${count} lines are left out here: the page was too slow for them`,
}

export const WORDS: Words<typeof en> = {
  en,
  zh: {
    title: '日志',
    description: '此服务器的实时日志。低于其 loglevel 的内容不会记录：',
    config: 'global 配置',
    adminsOnly: '日志仅供管理员查看。',
    level: '最低级别',
    allLevels: '所有级别',
    plugin: '插件',
    allPlugins: '所有插件',
    search: '文字',
    pause: '暂停',
    resume: (held) => (held === 0 ? '继续' : `继续（${held} 条新日志）`),
    clear: '清空',
    toEnd: '到末尾',
    lines: '日志',
    empty: '还没有符合条件的日志。',
    dropped: (count) => `此处省略 ${count} 行：页面处理过慢`,
  },
}
