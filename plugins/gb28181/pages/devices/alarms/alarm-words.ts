import type { Words } from 'sluice/sdk/console'

type Names = Readonly<Record<string, string>>

const PRIORITIES: Names = { 1: '1 highest', 2: '2', 3: '3', 4: '4 lowest' }
/** Ways in which alarms come (GB/T 28181-2022 A.2.5.3). */
const METHODS: Names = {
  1: 'Telephone',
  2: 'Device',
  3: 'Text message',
  4: 'GPS',
  5: 'Video',
  6: 'Failure',
  7: 'Other',
}

/** The types of alarms by their ways, from 1 on. */
const TYPES: Readonly<Record<string, readonly string[]>> = {
  2: ['video lost', 'tampering', 'disk full', 'too hot', 'too cold'],
  5: [
    'raised by hand',
    'motion',
    'object left behind',
    'object removed',
    'line crossed',
    'intrusion',
    'against the direction',
    'loitering',
    'many passers-by',
    'crowd',
    'bad picture',
    'fast movement',
    'view blocked',
  ],
  6: ['disk broken', 'fan broken'],
}

const en = {
  alarms: 'Alarms',
  time: 'Time',
  channel: 'Channel',
  priority: 'Priority',
  method: 'Kind',
  text: 'Text',
  none: 'No alarms have come. Devices tell of more when their alarms are subscribed to, in the settings of the device.',
  ask: 'Have the device tell of its alarms again',
  asked: 'The device was asked.',
  priorities: PRIORITIES,
  methods: METHODS,
  /** @param told the server's own words, which are those of the standard */
  type: (method: string, type: string, told: string) =>
    told === '' ? '' : (TYPES[method]?.[Number(type) - 1] ?? told),
}

export const ALARM_WORDS: Words<typeof en> = {
  en,
  zh: {
    alarms: '报警',
    time: '时间',
    channel: '通道',
    priority: '级别',
    method: '方式',
    text: '描述',
    none: '没有报警。在设备设置中订阅报警后，设备会上报更多报警。',
    ask: '请设备重新上报报警',
    asked: '已向设备查询。',
    priorities: { 1: '一级警情', 2: '二级警情', 3: '三级警情', 4: '四级警情' },
    methods: {
      1: '电话报警',
      2: '设备报警',
      3: '短信报警',
      4: 'GPS 报警',
      5: '视频报警',
      6: '设备故障报警',
      7: '其他报警',
    },
    type: (_method, _type, told) => told,
  },
}
