import type { Words } from 'sluice/sdk/console'

const en = {
  title: 'Settings for devices',
  noDevices: 'No device has come yet',
  intro:
    'Cameras and recorders register here by themselves. Type these values into the page of the device’s menu that is called Platform Access, 平台接入, or GB28181.',
  serverId: 'Server id',
  domain: 'Server domain',
  address: 'Server address',
  unknownAddress: 'The address by which devices reach this machine',
  port: 'Server port',
  password: 'Password',
  passwordHint: 'That of the plugin’s configuration, or the device’s own. Without any, everybody is let in.',
  deviceId: 'Device and channels',
  deviceIdHint: 'Ids of 20 digits, each different everywhere: 34020000001320000001, …',
  simulator: 'Without a device, "sluice gb-device" plays one.',
  copy: (text: string) => `Copy ${text}`,
  close: 'Close',
}

export const SERVER_INFO_WORDS: Words<typeof en> = {
  en,
  zh: {
    title: '设备接入参数',
    noDevices: '还没有设备接入',
    intro: '摄像机和录像机会自行注册到此处。请将以下参数填入设备菜单的“平台接入”或“GB28181”页面。',
    serverId: 'SIP 服务器编号',
    domain: 'SIP 域',
    address: 'SIP 服务器地址',
    unknownAddress: '设备可访问到本机的地址',
    port: 'SIP 服务器端口',
    password: '密码',
    passwordHint: '插件配置中的密码，或该设备单独的密码。未设置密码时允许任何设备接入。',
    deviceId: '设备与通道编号',
    deviceIdHint: '20 位数字，互不相同：34020000001320000001 等',
    simulator: '没有设备时，可用 "sluice gb-device" 模拟。',
    copy: (text) => `复制 ${text}`,
    close: '关闭',
  },
}
