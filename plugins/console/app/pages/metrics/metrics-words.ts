import type { Words } from 'sluice/sdk/console'

const en = {
  title: 'Metrics',
  description: 'What the server counts and measures, as Prometheus reads it at /metrics.',
  grafana: 'A dashboard for Grafana lies in the folder of the server:',
  search: 'Search metrics',
  name: 'Metric',
  type: 'Type',
  value: 'Now',
  series: 'Series',
  graph: 'Graph',
  graphOf: (name: string) => `Graph of ${name}`,
  none: 'No metric has this text.',
  wait: 'A graph begins when it is chosen.',
  more: (count: number) => `${count} more`,
  all: 'all',
}

export const WORDS: Words<typeof en> = {
  en,
  zh: {
    title: '指标',
    description: '服务器的计数与测量，Prometheus 从 /metrics 读取。',
    grafana: 'Grafana 仪表盘在服务器目录中：',
    search: '搜索指标',
    name: '指标',
    type: '类型',
    value: '当前值',
    series: '序列',
    graph: '图表',
    graphOf: (name) => `${name} 的图表`,
    none: '没有包含此文字的指标。',
    wait: '图表从选中时开始。',
    more: (count) => `另有 ${count} 项`,
    all: '全部',
  },
}
