import type { TObject } from 'typebox'

/**
 * A page of a plugin, as menus show it: one of its own at `url`, or one that the console shows in its frame, which is a `module`
 * or a `form`.
 */
export type PluginPage = {
  /** Its name in a menu. */
  readonly title: string
  /** The title in other languages, by their BCP 47 tags: `{ zh: '设备' }`. */
  readonly titles?: Readonly<Record<string, string>>
  /** The address of the picture beside it, below the plugin's first mount; none unless given. */
  readonly icon?: string
  /**
   * The group of the console's menu that it is in: `live`, `recording`, `devices` or `server`, which is the default. Any other name
   * is a group of its own.
   */
  readonly group?: string
} & (
  | {
      /** The path below the plugin's first mount, with a slash in front: `/` is the mount itself. */
      readonly url: string
    }
  | {
      /**
       * The file of the page, `new URL('pages/devices.tsx', import.meta.url)`, a module whose default export is a React component.
       * The host serves it at `/pages/devices.js` below the mounts: a `.js` file as it is, and of a `.ts` or `.tsx` file that which a
       * build tool has made, `built/devices.js` beside it, with all files of that folder. While that is not built, there is no
       * such page.
       */
      readonly module: URL
    }
  | { readonly form: PageForm }
)

/** A page that the console makes: a form of some values, such as settings. */
export type PageForm = {
  /** The schema of the values, with a `title` and a `description` for each as people are to read them. */
  readonly schema: TObject
  /** The path of the plugin's `GET` operation that answers the values, as the operation has it; the form begins empty unless given. */
  readonly read?: string
  /** The path of the plugin's `POST` operation that takes the values as its body, as the operation has it. */
  readonly write: string
}
