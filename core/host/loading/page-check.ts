import { PluginError } from '../plugin-error.ts'

/** The files that can be the module of a page, or its source. */
const MODULE = /\/(?<name>[a-z0-9][a-z0-9-]*)\.(?:js|tsx?)$/u

type Fields = Readonly<Record<string, unknown>>

/**
 * Checks the pages of a definition.
 * @throws {PluginError} with a message that names the error in them
 */
export function checkPages(pages: unknown, mounts: unknown): void {
  if (pages === undefined) return
  if (!Array.isArray(pages) || !pages.every(isPage)) {
    throw new PluginError(
      "has bad pages: write them as `{ url: '/', title: 'Page' }`, with a slash before each address",
    )
  }
  const names = (pages as readonly Fields[]).flatMap(({ module }) => (module === undefined ? [] : [nameOf(module)]))
  if (names.includes(undefined)) {
    throw new PluginError(
      'has a bad module of a page: write the `URL` of a file .js, .ts or .tsx whose name is lower-case letters, digits and dashes',
    )
  }
  const twice = names.find((name, index) => names.indexOf(name) !== index)
  if (twice !== undefined) throw new PluginError(`has two pages whose modules are called '${twice}'`)
  if (names.length > 0 && Array.isArray(mounts) && !mounts[0]) {
    throw new PluginError('has a page with a module, and the page at `/` as its first mount: name another one before')
  }
}

function isPage(page: unknown): boolean {
  if (!isObject(page)) return false
  const { title, titles, icon, group, url, module, form } = page
  return (
    isText(title) &&
    (titles === undefined || (isObject(titles) && Object.values(titles).every(isText))) &&
    (icon === undefined || isPath(icon)) &&
    (group === undefined || isText(group)) &&
    [url, module, form].filter((kind) => kind !== undefined).length === 1 &&
    (url === undefined || isPath(url)) &&
    (form === undefined || isForm(form))
  )
}

function isForm(form: unknown): boolean {
  if (!isObject(form)) return false
  const { schema, read, write } = form
  return isObject(schema) && schema['type'] === 'object' && (read === undefined || isText(read)) && isText(write)
}

/** Returns the name of a page's module; undefined where it is none. */
function nameOf(module: unknown): string | undefined {
  const isFile = module instanceof URL && module.protocol === 'file:'
  return isFile ? MODULE.exec(module.pathname)?.groups?.['name'] : undefined
}

function isPath(value: unknown): boolean {
  return typeof value === 'string' && value.startsWith('/')
}

function isText(value: unknown): boolean {
  return typeof value === 'string' && value !== ''
}

function isObject(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null
}
