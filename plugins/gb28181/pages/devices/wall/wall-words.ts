import type { Words } from 'sluice/sdk/console'

const en = {
  wall: 'Live pictures',
  sizes: 'Number of pictures',
  cell: (number: number) => `Cell ${number}`,
  cellOf: (number: number, name: string) => `Cell ${number}: ${name}`,
  empty: 'Free',
  emptyHint: 'Drag a channel here, or press Enter on it.',
  close: (name: string) => `Close ${name}`,
  closeAll: 'Close all',
  fullScreen: (name: string) => `Show ${name} on the full screen`,
  wallFullScreen: 'Show the wall on the full screen',
  help: 'Arrow keys choose a cell, F shows it on the full screen, Delete closes it, 1 to 4 choose how many there are.',
}

export const WALL_WORDS: Words<typeof en> = {
  en,
  zh: {
    wall: '实时画面',
    sizes: '画面数',
    cell: (number) => `窗格 ${number}`,
    cellOf: (number, name) => `窗格 ${number}：${name}`,
    empty: '空闲',
    emptyHint: '将通道拖到此处，或在通道上按回车键。',
    close: (name) => `关闭 ${name}`,
    closeAll: '全部关闭',
    fullScreen: (name) => `全屏显示 ${name}`,
    wallFullScreen: '全屏显示画面墙',
    help: '方向键选择窗格，F 全屏，Delete 关闭，1 到 4 选择画面数。',
  },
}
