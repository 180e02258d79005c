//! Covers that are uploaded with forms.

use tonearm_domain::CoverOwner;

use crate::app::Dashboard;
use crate::error::PageError;
use crate::form::{FileForm, Problems};
use crate::picture::picture;
use crate::session::Member;

/// Makes the picture in a form the cover of `owner`. If the picture is refused, returns the problems.
pub(crate) async fn save<R>(
    app: &Dashboard,
    member: &Member<R>,
    owner: CoverOwner,
    form: FileForm,
) -> Result<Result<(), Problems>, PageError> {
    let caller = member.caller();
    let picture = form.read(|form| picture(form, &app.uploads, caller.organization_id)).await?;
    let bytes = picture.bytes.clone();
    match app.uploads.accept_cover(caller.origin, caller.organization_id, owner, bytes).await {
        Ok(()) => Ok(Ok(())),
        Err(refusal) => Ok(Err(Problems::of(refusal)?)),
    }
}
