export const ZH_TITLES: Readonly<Record<string, string>> = {}
