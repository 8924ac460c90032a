import { SluiceError } from 'sluice/sdk'

/** The caller did not say who they are, or not truly (`UNAUTHENTICATED`, 401). */
export class Unauthenticated extends SluiceError {
  constructor(message: string) {
    super('UNAUTHENTICATED', 401, message)
  }
}

/** The caller is known, and may not do that (`PERMISSION_DENIED`, 403). */
export class PermissionDenied extends SluiceError {
  constructor(message: string) {
    super('PERMISSION_DENIED', 403, message)
  }
}

/** Too many logins were tried (`LOGIN_LIMIT`, 429). */
export class TooManyLogins extends SluiceError {
  readonly headers: Readonly<Record<string, string>>

  /** @param waitMs after which another try is worth it */
  constructor(waitMs: number) {
    const waitS = Math.max(1, Math.ceil(waitMs / 1000))
    super('LOGIN_LIMIT', 429, `too many logins; try again in ${waitS} s`)
    this.headers = { 'retry-after': String(waitS) }
  }
}

/** The change would leave nobody who may administer (`LAST_ADMIN`, 409). */
export class LastAdmin extends SluiceError {
  constructor(name: string) {
    super('LAST_ADMIN', 409, `${name} is the last admin; add another one first`)
  }
}

/** The name is taken (`USER_EXISTS`, 409). */
export class UserExists extends SluiceError {
  constructor(name: string) {
    super('USER_EXISTS', 409, `there is a user ${name} already`)
  }
}
