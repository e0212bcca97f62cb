"""Names of a sale in reports: transaction ids, order ids that networks name, and ids of merged reports. Pure."""

from __future__ import annotations

from schemas.events.conversions import ConversionRecorded, ConversionReportConflicted, ConversionReportMerged


def names_of(event: ConversionRecorded | ConversionReportMerged | ConversionReportConflicted) -> set[str]:
    """Returns the names of the sale in the event's report."""
    names = {event.facts.txid} if isinstance(event, ConversionRecorded) else set[str]()
    if (reported := event.reported) is not None:
        if reported.alias_id is not None:
            names.add(str(reported.alias_id))
        if reported.network_sale is not None:
            names |= {reported.network_sale.txid, reported.network_sale.order_ref}
    return names - {""}
