import type { Words } from 'sluice/sdk/console'

const en = {
  retry: 'Try again',
  failed: 'That did not work',
  cancel: 'Cancel',
  confirm: 'Yes, do it',
  close: 'Close',
  clearSearch: 'Clear the search',
  rowsOf: (from: number, to: number, total: number) => `${from}–${to} of ${total}`,
  pages: 'Pages',
}

/** The words of the components that all pages have. */
export const KIT_WORDS: Words<typeof en> = {
  en,
  zh: {
    retry: '重试',
    failed: '操作失败',
    cancel: '取消',
    confirm: '确定',
    close: '关闭',
    clearSearch: '清除搜索',
    rowsOf: (from, to, total) => `第 ${from}–${to} 条，共 ${total} 条`,
    pages: '分页',
  },
}
