"""Names that other packages, the papers and their readers have for indices."""

from __future__ import annotations

import pickle

import pytest

import partita as pt
from command_runs import runner
from partita.errors import ParameterError, UnknownNameError
from partita.registry import find
from partita.registry.curves import Curve, find_entry
from partita.registry.names import meanings, peers, same_spelling

TRUTH, FOUND = [0, 0, 0, 1, 1, 1], [0, 0, 1, 1, 1, 1]
X = [[0.0], [1.0], [2.0], [7.0], [8.0], [9.5]]

SCIKIT_LEARN = """adjusted_mutual_info_score adjusted_rand_score calinski_harabasz_score completeness_score
    davies_bouldin_score fowlkes_mallows_score homogeneity_score mutual_info_score
    normalized_mutual_info_score rand_score silhouette_score v_measure_score"""
NBCLUST = """kl ch hartigan ccc scott marriot trcovw tracew friedman rubin cindex db silhouette duda pseudot2
    beale ratkowsky ball ptbiserial gap frey mcclain gamma gplus tau dunn hubert sdindex dindex sdbw"""
CLUSTER_CRIT = """Ball_Hall Banfeld_Raftery C_index Calinski_Harabasz Davies_Bouldin Det_Ratio Dunn Gamma
    G_plus GDI11 GDI12 GDI13 GDI21 GDI22 GDI23 GDI31 GDI32 GDI33 GDI41 GDI42 GDI43 GDI51 GDI52 GDI53 Ksq_DetW
    Log_Det_Ratio Log_SS_Ratio McClain_Rao PBM Point_Biserial Ratkowsky_Lance Ray_Turi Scott_Symons SD_Scat
    SD_Dis S_Dbw Silhouette Tau Trace_W Trace_WiB Wemmert_Gancarski Xie_Beni Czekanowski_Dice Folkes_Mallows
    Hubert Jaccard Kulczynski McNemar Phi Precision Rand Recall Rogers_Tanimoto Russel_Rao Sokal_Sneath1
    Sokal_Sneath2"""
FPC = """avg.silwidth g2 g3 pearsongamma dunn dunn2 entropy wb.ratio ch cwidegap widestgap sindex
    corrected.rand vi within.cluster.ss average.between average.within max.diameter min.separation"""
MCLUST = "adjustedRandIndex classError mclustBIC mclustICL"
ARICODE = "ARI RI AMI NMI NVI NID MARI MARIraw Chi2 Frobenius entropy"
CLUSIM = """jaccard_index rand_index adjrand_index fowlkes_mallows_index fmeasure purity_index
    classification_error czekanowski_index dice_index sorensen_index rogers_tanimoto_index southwood_index
    pearson_correlation nmi mi adj_mi rmi vi geometric_accuracy overlap_quality onmi omega_index
    element_sim"""
CDLIB = """adjusted_rand_index adjusted_mutual_information normalized_mutual_information
    variation_of_information f1 nf1 rand_index jaccard_index classification_error"""
GENIECLUST = """adjusted_fm_score adjusted_mi_score adjusted_rand_score fm_score mi_score
    normalized_clustering_accuracy normalized_mi_score normalized_pivoted_accuracy pair_sets_index rand_score
    calinski_harabasz_index dunnowa_index negated_ball_hall_index negated_davies_bouldin_index
    negated_wcss_index silhouette_index silhouette_w_index wcnn_index"""
PERMETRICS = """adjusted_rand_score ball_hall_index banfeld_raftery_index beale_index calinski_harabasz_index
    completeness_score czekanowski_dice_score davies_bouldin_index density_based_clustering_validation_index
    det_ratio_index duda_hart_index dunn_index entropy_score f_measure_score fowlkes_mallows_score gamma_score
    gplus_score hartigan_index homogeneity_score hubert_gamma_score jaccard_score ksq_detw_index
    kulczynski_score log_det_ratio_index log_ss_ratio_index mc_nemar_score mean_squared_error_index
    mutual_info_score normalized_mutual_info_score phi_score
    precision_score purity_score r_squared_index rand_score
    recall_score rogers_tanimoto_score russel_rao_score silhouette_index sokal_sneath1_score
    sokal_sneath2_score sum_squared_error_index tau_score v_measure_score xie_beni_index"""
PACKAGES = {
    "scikit-learn": SCIKIT_LEARN,
    "NbClust": NBCLUST,
    "clusterCrit": CLUSTER_CRIT,
    "fpc": FPC,
    "mclust": MCLUST,
    "aricode": ARICODE,
    "clusim": CLUSIM,
    "cdlib": CDLIB,
    "genieclust": GENIECLUST,
    "permetrics": PERMETRICS,
}
EVERY_NAME = [(package, name) for package, names in PACKAGES.items() for name in names.split()]


def outcome(name):
    """The name of the index or curve, "asks", or "absent"; another error is not caught."""
    try:
        return find_entry(name).name
    except UnknownNameError as problem:
        told = problem
    if "has several meanings" in told.what:
        assert told.fix.startswith("write ")
        return "asks"
    assert "is not in partita: nearest in meaning is" in told.what, told
    return "absent"


@pytest.mark.parametrize(("package", "name"), EVERY_NAME, ids=lambda x: x)
def test_every_name_of_the_field_is_understood(package, name):
    outcome(name)
    assert outcome(f"{package}:{name}") != "asks" or name in ("mclustICL",)


@pytest.mark.parametrize(
    ("name", "ours"),
    [
        ("rand_score", "rand"),
        ("db", "davies_bouldin"),
        ("ball", "ball_hall"),
        ("Davies_Bouldin", "davies_bouldin"),
        ("Folkes_Mallows", "fowlkes_mallows"),
        ("adjustedRandIndex", "adjusted_rand"),
        ("classError", "classification_error"),
        ("corrected.rand", "adjusted_rand"),
        ("dunn2", "generalized_dunn"),
        ("tracew", "ssw"),
        ("Ray_Turi", "xie_beni"),
        ("kl", "krzanowski_lai"),
        ("gap", "gap"),
        ("aricode:NMI", "nmi_max"),
        ("NMI", "nmi_sum"),
        ("adjrand_index", "adjusted_rand"),
        ("pair_sets_index", "pair_set_index"),
        ("negated_wcss_index", "ssw"),
        ("sklearn:rand_score", "rand"),
        ("clusterCrit:Silhouette", "macro_silhouette"),
        ("NbClust:ch", "calinski_harabasz"),
        ("adjusted_fm_score", "adjusted_fowlkes_mallows"),
        # spellings
        ("Calinski-Harabasz index", "calinski_harabasz"),
        ("CALINSKI HARABASZ", "calinski_harabasz"),
        ("van Dongen's criterion", "normalized_van_dongen"),
        ("Dunn’s index", "dunn"),
        ("Adjusted-Rand_Index", "adjusted_rand"),
        ("normalised van Dongen", "normalized_van_dongen"),
    ],
)
def test_names_lead_to_the_index_that_is_meant(name, ours):
    assert outcome(name) == ours


EXTERNAL = {
    "franti2017:Entropy, E": "class_entropy",
    "Purity, P": "purity",
    "F-measure, F": "f_measure",
    "Variation of Information, VI": "variation_of_information",
    "Mutual Information, MI": "mutual_information",
    "Rand statistic, R, Rand index, RI": "rand",
    "Adjusted Rand, ARI, Adjusted Rand Index": "adjusted_rand",
    "Jaccard coefficient, J": "jaccard",
    "Fowlkes and Mallows index, FM": "fowlkes_mallows",
    "Hubert Γ statistic I, Γ": "hubert_gamma",
    "Hubert Γ statistic II, Γ', Γ′": "hubert_gamma_prime",
    "Minkowski score, MS": "minkowski_score",
    "classification error, ε, partition distance, PD, D-PD": "classification_error",
    "van Dongen criterion, VD, NVD, Normalized Van Dongen": "normalized_van_dongen",
    "micro-average precision, MAP": "purity",
    "Goodman-Kruskal coefficient, GK": "goodman_kruskal",
    "Mirkin metric, M": "mirkin",
    "Criterion H": "criterion_h",
    "Pair Set Index, PSI": "pair_set_index",
    "Centroid Index, CI, CI_2": "centroid_index",
    "Centroid Similarity Index, CSI": "centroid_similarity_index",
    "CR": "centroid_ratio",
    "Normalized Mutual Information, NMI, NMI_{sum}, NMI_sum": "nmi_sum",
    "NMI_{joint}, NMI_joint": "nmi_joint",
    "NMI_{max}": "nmi_max",
    "NMI_{sqrt}": "nmi_sqrt",
    "NMI_{min}": "nmi_min",
    "Normalized VI, NVI": "normalized_variation_of_information",
    "Average linkage, Average": "coassociation_average_distance",
    "Student distance, Student": "coassociation_student_distance",
    "Correlation, Correl.": "coassociation_correlation_distance",
    "Jaccard distance": "coassociation_jaccard_distance",
    "rovetta2009:Rand": "coassociation_rand_distance",
    "rovetta2009:Jaccard": "coassociation_jaccard_distance",
    "D-RI, S-RI": "rand",
}
INTERNAL = {
    "SSW, TSE, Sum of squared errors": "ssw",
    "SSB": "ssb",
    "MSE, Mean Squared Errors": "mse",
    "WB-index, WB, F-ratio, F-test": "wb_index",
    "Ball & Hall, Ball and Hall, Ball&Hall, BH": "ball_hall",
    "Marriot, k^2|W|": "marriott",
    "Calinski & Harabasz, Calinski-Harabasz index, Calinski-Harabsz": "calinski_harabasz",
    "Hartigan": "hartigan",
    "log(SSB/SSW)": "hartigan_log",
    "Krzanowski-Lai index, KL": "krzanowski_lai",
    "Xu, Xu-index": "xu",
    "Dunn, Dunn's index": "dunn",
    "DBI, Davies-Bouldin index, Davies & Bouldin index": "davies_bouldin",
    "Silhouette coefficient, Silhouette Coefficients": "silhouette",
    "SCI, SCI *, SC', SC' 2008": "sci",
    "RMSSTD": "rmsstd",
    "R-square, RS": "r_squared",
    "BIC, Bayesian Information Criterion, Bayesian Inference Criterion": "bic",
    "ORI_IBIC": "bic_partition",
    "DiffBIC": "second_difference",
    "Angle-based": "angle",
    "Jump point": "jump",
    "Xie-Beni, XieBeni, XB": "xie_beni",
    "Partition Coefficient, PC": "partition_coefficient",
    "Partition Entropy, PE": "partition_entropy",
    "Stochastic complexity, MDL": "stochastic_complexity",
    "AIC, Akaike's Information Criterion, Akaike's criterion": "aic",
    "ICL, Information Completed Likelihood": "icl",
    "PNC, Partition Negentropy Criterion": "partition_negentropy",
}
PRINTED = [(name, ours) for names, ours in (EXTERNAL | INTERNAL).items() for name in names.split(", ")]


@pytest.mark.parametrize(("name", "ours"), PRINTED, ids=lambda x: x)
def test_every_name_that_the_papers_print_resolves(name, ours):
    assert outcome(name) == ours


@pytest.mark.parametrize(
    ("name", "both"),
    [
        ("SC", ("silhouette", "stochastic_complexity")),
        ("CH", ("calinski_harabasz", "criterion_h")),
        ("C-Index", ("centroid_index", "Hubert and Levin")),
        ("H_M", ("hartigan", "hartigan_log")),
        ("Hubert", ("hubert_gamma", "NbClust")),
    ],
)
def test_a_name_of_two_meanings_asks(name, both):
    with pytest.raises(UnknownNameError, match="has several meanings") as caught:
        find_entry(name)
    assert all(meaning in caught.value.need for meaning in both)
    with pytest.raises(UnknownNameError, match="has several meanings"):
        pt.validate(X, FOUND, indices=["SC"])


def test_where_one_meaning_alone_is_possible_it_is_meant():
    judged = pt.validate(X, FOUND, indices="CH")
    assert [row.index for row in judged] == ["calinski_harabasz"]
    assert judged["CH"].value == pt.indices.calinski_harabasz(X, FOUND) == pt.indices.CH(X, FOUND)
    compared = pt.compare(TRUTH, FOUND, indices="CH")
    assert [row.index for row in compared] == ["criterion_h"]
    assert compared["CH"].value == pt.indices.criterion_h(TRUTH, FOUND)


def test_the_name_of_one_package_says_whose_it_is_and_has_its_number(capsys):
    run = runner(capsys)
    named = find("NbClust:db")
    assert named.label == "davies_bouldin:q=2"
    assert "db in R NbClust" in repr(named)
    assert find("nb-clust:DB").label == named.label
    assert find("NbClust:db:p=1").label == "davies_bouldin:q=2,p=1"
    assert find("clusterCrit:GDI33").label == "generalized_dunn:diameter=3"
    assert find("GDI13").label == "generalized_dunn:delta=1,diameter=3"
    assert pickle.loads(pickle.dumps(named)).label == named.label
    told = run("indices NbClust:db").out
    assert "db in R NbClust" in told
    assert "davies_bouldin" in told


def test_where_the_number_there_is_another_one_the_row_says_so():
    row = pt.validate(X, FOUND, indices="db")["davies_bouldin"]
    assert "db in R NbClust is another number: root mean square scatter" in row.caveat
    for ours in ("davies_bouldin", "Davies_Bouldin", "DBI"):  # in the words of partita
        assert pt.validate(X, FOUND, indices=ours)["DBI"].caveat == ""


def test_what_partita_has_not_leads_to_the_nearest_in_meaning():
    for name, near in (
        ("gamma", "silhouette"),
        ("chi2", "mutual_information"),
        ("Kulczynski", "fowlkes_mallows"),
        ("SD", "f_measure"),
        ("BB", "pair_set_index"),
        ("consensus index", "nmi_sum"),
        ("lei2014:CI", "nmi_sum"),
    ):
        with pytest.raises(UnknownNameError, match=f"not in partita: nearest in meaning is {near}") as caught:
            pt.compare(TRUTH, FOUND, indices=[name])
        assert caught.value.parameter == "indices"
    from partita.registry.names import _table

    for fact in _table("elsewhere").values():
        assert find_entry(fact["near"]), fact  # the way out leads somewhere


def test_every_procedure_and_command_understands_them(tmp_path, capsys):
    assert [r.index for r in pt.compare(TRUTH, FOUND, indices=["rand_score", "Γ'"])] == [
        "rand",
        "hubert_gamma_prime",
    ]
    for name, labels in (("t", TRUTH), ("f", FOUND)):
        (tmp_path / f"{name}.txt").write_text("\n".join(map(str, labels)) + "\n")
    ran = runner(capsys)(f"compare {tmp_path}/t.txt {tmp_path}/f.txt --no-header --indices rand_score,MAP")
    assert ran.code == 0, ran
    assert "purity" in ran.out
    assert "rand" in ran.out


def test_no_name_of_theirs_hides_one_of_ours():
    for entry in (*pt.indices.catalogue(), find_entry("gap")):
        assert find_entry(entry.name) is entry or isinstance(entry, Curve)


def test_what_has_no_letter_means_nothing():
    for name in ("", " ", "-", "'", ":", "NbClust:", "NbClust", "franti2017:"):
        with pytest.raises(UnknownNameError, match="there is no index named"):
            find(name)


def test_spellings():
    assert same_spelling("Γ'") != same_spelling("Γ")
    assert same_spelling("Γ′") == same_spelling("Γ'")
    assert same_spelling("Hubert's Gamma") == same_spelling("HUBERT_GAMMA")
    assert same_spelling("normalised") == same_spelling("Normalized")
    assert same_spelling("precision") == "precision"


def test_the_tables_name_indices_of_ours():
    for name, rows in peers().items():
        assert find_entry(name).name == name
        for said in (one for several in rows.values() for one in several):
            if "ours" in said:
                assert find(f"{name}:{said['ours']}").label != name or name == "generalized_dunn"
    found, options = meanings("NbClust:db:p=1", {})
    assert [one.ours for one in found] == ["davies_bouldin:q=2"]
    assert options == "p=1"
    with pytest.raises(ParameterError):
        find(None)


PAPERS = ["lei2014", "rovetta2009", "franti2017", "campagner2022"]


@pytest.mark.parametrize("paper", PAPERS)
def test_the_key_of_a_paper_works_where_clusterings_are_compared(paper):
    from stub_clusterer import StubClusterer

    compared = pt.compare(TRUTH, FOUND, indices=paper)
    assert len(compared.rows) >= 3
    models = pt.compare_models(TRUTH, {"a": FOUND, "b": TRUTH}, indices=paper)
    assert {row.index for row in models.rows} & {row.index for row in compared.rows}
    stable = pt.stability(X * 4, StubClusterer(), range(2, 4), indices=paper, n_repeats=2, structure=False)
    assert len(stable.indices) >= 2
    table = pt.benchmark({"stub": StubClusterer()}, {"X": (X, TRUTH)}, indices=paper, n_runs=1)
    assert len(table.indices) >= 3


def test_where_no_index_of_a_paper_fits_the_error_says_what_they_take():
    with pytest.raises(UnknownNameError, match="no index of 'rovetta2009' takes just") as caught:
        pt.validate(X, FOUND, indices="rovetta2009")
    assert "truth, found" in caught.value.got


def test_there_is_one_count_of_indices(capsys):
    n = len(pt.indices.catalogue())
    counted = rf"\({n} in all\)"
    with pytest.raises(UnknownNameError, match=counted):
        find("nonsense")
    for ask in (pt.compare, pt.validate):
        with pytest.raises(UnknownNameError, match=counted):
            ask(TRUTH if ask is pt.compare else X, FOUND, indices=["nonsense"])
    assert runner(capsys)("indices").out.lstrip().startswith(f"{n} indices, 6 curves")
    with pytest.raises(UnknownNameError, match=counted):
        find_entry("nonsense")
