import type { Words } from 'sluice/sdk/console'

const en = {
  title: 'Devices',
  connect: 'Connect a device',
  states: { online: 'Online', offline: 'Offline', busy: 'In use' },
  control: 'Control',
  recordings: 'Recordings',
  alarms: 'Alarms',
  details: 'Device',
  nothingChosen: 'Choose a device or a channel to see what it is, has recorded and has told.',
  show: 'Show',
}

export const PAGE_WORDS: Words<typeof en> = {
  en,
  zh: {
    title: '设备',
    connect: '接入设备',
    states: { online: '在线', offline: '离线', busy: '使用中' },
    control: '云台',
    recordings: '录像',
    alarms: '报警',
    details: '设备',
    nothingChosen: '选择设备或通道，查看其信息、录像和报警。',
    show: '显示',
  },
}
