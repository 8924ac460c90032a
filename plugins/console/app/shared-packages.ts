import { createRequire } from 'node:module'
import type { Plugin } from 'vite'

/** The packages that pages of plugins import by name, and that the console has for all of them. */
const SHARED = ['react', 'react/jsx-runtime', 'react-dom', '@mantine/core', '@mantine/hooks', '@mantine/dates']

const PREFIX = 'virtual:shared/'
const require = createRequire(import.meta.url)

/** The inputs of the build that make a module of each shared package, by the names of their files. */
export function sharedInputs(): Record<string, string> {
  return Object.fromEntries(SHARED.map((name) => [fileName(name), PREFIX + name]))
}

/**
 * Makes a module of each shared package, which exports all that the package does, and writes the import map that leads pages
 * to them into the page. What no page of the console's own uses is in files of its own, and is loaded with the first page of
 * a plugin.
 */
export function sharedPackages(): Plugin {
  return {
    name: 'shared-packages',
    resolveId: (id) => (id.startsWith(PREFIX) ? `\0${id}` : undefined),
    load(id) {
      if (!id.startsWith(`\0${PREFIX}`)) return undefined
      const name = id.slice(PREFIX.length + 1)
      return name.startsWith('react') ? commonJsExports(name) : `export * from '${name}'`
    },
    transformIndexHtml: {
      order: 'post',
      handler(html, { bundle = {} }) {
        const imports = Object.fromEntries(
          Object.values(bundle).flatMap((file) => {
            const name =
              file.type === 'chunk' && file.isEntry ? SHARED.find((one) => fileName(one) === file.name) : undefined
            return name === undefined ? [] : [[name, `./${file.fileName}`]]
          }),
        )
        // A map counts only for modules that are asked for after it.
        const map = `<script type="importmap">${JSON.stringify({ imports })}</script>`
        return html.replace(/(<base [^>]*>)/u, `$1\n    ${map}`)
      },
    },
  }
}

/** React is CommonJS: a star exports nothing of it. */
function commonJsExports(name: string): string {
  const names = Object.keys(require(name) as object).filter((key) => /^[a-zA-Z]\w*$/u.test(key) && key !== 'default')
  return `import * as all from '${name}'\nexport const { ${names.join(', ')} } = all\nexport default all.default\n`
}

function fileName(name: string): string {
  return `shared-${name.replaceAll(/[@/]+/gu, '-').replace(/^-/u, '')}`
}
