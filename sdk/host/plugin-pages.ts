import { fileURLToPath } from 'node:url'
import type { FastifyBaseLogger, FastifyInstance } from 'fastify'
import { sendBuilt } from '../http/send-built.ts'
import type { PageForm, PluginPage } from '../plugin/pages.ts'
import { moduleName, PageModules } from './page-modules.ts'

/** The folder of the modules, below each mount of the plugin. */
const FOLDER = '/pages/'

/** A page as `/api/sysinfo` lists it, by its addresses on the server. */
export type ListedPage = Pick<PluginPage, 'title' | 'titles' | 'icon' | 'group'> & {
  readonly url?: string
  readonly module?: string
  readonly form?: PageForm
}

type PagesOfPlugin = {
  readonly pages: readonly PluginPage[]
  readonly mounts: readonly string[]
  readonly log: FastifyBaseLogger
}

/**
 * Serves the modules of a plugin's pages to those who may ask the administration.
 * @returns the pages that there are: all but those whose modules are missing, which the log says
 */
export function servePages(http: FastifyInstance, { pages, mounts, log }: PagesOfPlugin): readonly ListedPage[] {
  const modules = new PageModules()
  const present = pages.filter((page) => {
    if (!('module' in page)) return true
    const file = fileURLToPath(page.module)
    const isThere = modules.add(file)
    if (!isThere)
      log.warn({ file }, `a page ${file.endsWith('.js') ? 'is missing' : "isn't built: npm run build makes it"}`)
    return isThere
  })
  if (!modules.isEmpty) serveModules(http, modules)
  return present.map((page) => listed(page, mounts))
}

function serveModules(http: FastifyInstance, modules: PageModules): void {
  const options = { config: { access: 'page' } } as const
  http.get<{ Params: { '*': string } }>(`${FOLDER}*`, options, async (request, reply) => {
    const file = await modules.read(request.params['*'])
    if (file !== undefined) return sendBuilt(file, request, reply)
    reply.callNotFound()
    return reply
  })
}

function listed(page: PluginPage, [mount = '']: readonly string[]): ListedPage {
  const root = mount === '' ? '' : `/${mount}`
  const { title, titles, icon, group } = page
  return {
    ...('url' in page && { url: root + page.url }),
    title,
    ...(titles && { titles }),
    ...(icon && { icon: root + icon }),
    ...(group && { group }),
    ...('module' in page && { module: root + FOLDER + moduleName(fileURLToPath(page.module)) }),
    ...('form' in page && { form: listedForm(page.form, root) }),
  }
}

/** Paths of operations are below the mount, or, with a slash first, those of the whole server. */
function listedForm({ schema, read, write }: PageForm, root: string): PageForm {
  const onServer = (path: string) => (path.startsWith('/') ? path : `${root}/${path}`)
  return { schema, ...(read !== undefined && { read: onServer(read) }), write: onServer(write) }
}
