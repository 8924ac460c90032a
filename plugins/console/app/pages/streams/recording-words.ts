import type { Words } from 'sluice/sdk/console'

const en = {
  start: 'Record',
  type: 'Format',
  length: 'New file',
  lengths: {
    '': 'As configured',
    '1m': 'Every minute',
    '10m': 'Every 10 minutes',
    '1h': 'Every hour',
  } as Record<string, string>,
  started: (type: string) => `Records as ${type}`,
  stopped: (type: string) => `The recording as ${type} is stopped`,
  table: 'Recordings that are being made',
  none: 'Nothing is recorded of this stream at present.',
  mode: 'By',
  modes: { auto: 'rule or operator', event: 'event' } as Record<string, string>,
  folder: 'Folder',
  fragment: 'New file every',
  whole: 'one file',
  stop: 'Stop',
  stopQuestion: (type: string, path: string) => `Stop recording ${path} as ${type}? What is recorded stays.`,
  stopLabel: (type: string) => `Stop the recording as ${type}`,
  actions: 'Actions',
}

export const RECORDING_WORDS: Words<typeof en> = {
  en,
  zh: {
    start: '开始录制',
    type: '格式',
    length: '分段',
    lengths: { '': '按配置', '1m': '每分钟', '10m': '每 10 分钟', '1h': '每小时' },
    started: (type) => `正在录制为 ${type}`,
    stopped: (type) => `已停止 ${type} 录制`,
    table: '正在进行的录制',
    none: '当前没有录制此流。',
    mode: '方式',
    modes: { auto: '规则或手动', event: '事件' },
    folder: '目录',
    fragment: '分段时长',
    whole: '单个文件',
    stop: '停止',
    stopQuestion: (type, path) => `停止将 ${path} 录制为 ${type}？已录制的内容会保留。`,
    stopLabel: (type) => `停止 ${type} 录制`,
    actions: '操作',
  },
}
