import type { Words } from 'sluice/sdk/console'

const en = { refresh: 'Ask again' }

export const DETAIL_WORDS: Words<typeof en> = { en, zh: { refresh: '重新查询' } }
