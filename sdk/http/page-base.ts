/** A page that is built for no fixed place begins with this, before the first of its addresses. */
const BASE = '<base href="./"'

/** Returns a page whose relative addresses count from `base`, which is `../` for each folder that it is shown below. */
export function basedOn(base: string, html: string): string {
  return html.replace(BASE, `<base href="${base}"`)
}
